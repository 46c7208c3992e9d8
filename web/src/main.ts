import { h } from './dom';
import { LiveSource } from './live_source';
import { Page } from './page';
import { EmbeddedSource } from './source';

// What stands in the page of a server instead of a document.
const live = '{"firm":"live"}';

const root = document.getElementById('page')!;
try {
  const text = document.getElementById('firm-document')?.textContent ?? 'null';
  if (text === live) {
    const source = new LiveSource();
    source.start(new Page(root, source));
  } else {
    new EmbeddedSource(text).start(new Page(root));
  }
} catch (error) {
  root.replaceChildren(h('p', { role: 'alert' }, `This report cannot be shown: ${String(error)}`));
  throw error;
}
