// Starts the page: shows the document that it contains, or follows the run of its server.
import { h } from './dom';
import { LiveSource } from './live/live_source';
import { Page } from './page';
import { EmbeddedSource } from './source';

// Placeholder for the document in a page that a server delivers.
const livePlaceholder = '{"firm":"live"}';

const root = document.getElementById('page')!;
try {
  const text = document.getElementById('firm-document')?.textContent ?? 'null';
  if (text === livePlaceholder) {
    const source = new LiveSource();
    source.start(new Page(root, source));
  } else {
    new EmbeddedSource(text).start(new Page(root));
  }
} catch (error) {
  root.replaceChildren(h('p', { role: 'alert' }, `This report cannot be shown: ${String(error)}`));
  throw error;
}
