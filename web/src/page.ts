// The page: its panels, one below the other.
import { certificateSection } from './certificate';
import { CurvesPanel } from './curves';
import { h } from './dom';
import type { RunDocument } from './document';
import { ImagesPanel } from './images';
import { overview } from './overview';
import { textPanel, type Panel } from './panel';
import { SinogramsPanel } from './sinograms';
import { sitesSection } from './sites';
import { studySection } from './study';
import { themeButton } from './theme';

export class Page {
  private readonly panels: Panel[] = [
    textPanel('overview', overview),
    new ImagesPanel(),
    textPanel('certificate', certificateSection),
    textPanel('sites', sitesSection),
    new CurvesPanel(),
    new SinogramsPanel(),
    textPanel('study', studySection),
  ];
  private readonly title = h('h1');
  private readonly contents = h('nav', { 'aria-label': 'Contents' });

  constructor(root: HTMLElement) {
    const theme = themeButton();
    root.replaceChildren(
      h('header', {}, h('div', { class: 'head' }, this.title, theme), this.contents),
      h('main', {}, ...this.panels.map((p) => p.element)));
    window.addEventListener('beforeprint', Page.openAll);
  }

  // On paper nothing can be opened.
  private static openAll(): void {
    for (const details of document.querySelectorAll('details')) details.open = true;
  }

  show(run: RunDocument): void {
    document.title = `${run.summary.study} \u2013 FIRM`;
    this.title.textContent = run.summary.study;
    for (const panel of this.panels) panel.update(run);
    const links = [...document.querySelectorAll<HTMLElement>('main section[id]')].map((s) =>
      h('a', { href: `#${s.id}` }, s.querySelector('h2')?.textContent ?? s.id));
    this.contents.replaceChildren(...links);
  }
}
