import { h } from './dom';
import { Page } from './page';
import { EmbeddedSource } from './source';

const root = document.getElementById('page')!;
try {
  const page = new Page(root);
  new EmbeddedSource(document.getElementById('firm-document')).start((run) => page.show(run));
} catch (error) {
  root.replaceChildren(h('p', { role: 'alert' }, `This report cannot be shown: ${String(error)}`));
  throw error;
}
