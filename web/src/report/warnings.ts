// All warnings of a run: of its preparation, of its fit, and on a dashboard those so far.
import { h, section } from '../dom';
import { siteSummaries, type RunDocument } from '../document';
import type { Change, Panel } from '../panel';

/** Warnings of the summary, then those that only the preparation or the dashboard has. */
export function warningsOf(run: RunDocument): string[] {
  const found = [...new Set(run.summary.warnings ?? [])];
  // A site calls its own data "data" in the terminal; a summary uses the name of the site.
  const body = (text: string) => text.replace(/^data: /, '');
  const isKnown = (text: string) =>
    found.some((f) => f === text || f.endsWith(`: ${body(text)}`) || f === body(text));
  const more = [...siteSummaries(run.summary).flatMap((site) =>
    (site.preparation?.warnings ?? []).map((text) => `${site.name}: ${text}`)),
  ...(run.live?.warnings ?? [])];
  for (const text of more) if (!isKnown(text)) found.push(text);
  return found;
}

/** Also follows the warnings of a running reconstruction. */
export class WarningsPanel implements Panel {
  readonly element = h('div', { 'data-panel': 'warnings' });
  private shown = '[]';

  update(run: RunDocument, change: Change): void {
    if (change !== 'all' && change !== 'status') return;
    const warnings = warningsOf(run);
    const key = JSON.stringify(warnings);
    if (key === this.shown) return;
    this.shown = key;
    this.element.replaceChildren(...(warnings.length === 0 ? [] : [section('warnings', 'Warnings',
      h('ul', { class: 'warnings' }, ...warnings.map((text) => h('li', {}, text))))]));
  }
}
