// The study, its options, the time of each phase, and the versions of the program.
import { h, section, table, type Cell } from '../dom';
import { isRunning, type RunDocument } from '../document';
import { integer, length, number, seconds } from '../format';

export function studySection(run: RunDocument): HTMLElement | null {
  const { study, summary } = run;
  if (!study) return null;
  const rows: Cell[][] = [
    ['Name', study.name],
    ...(study.description ? [['Description', study.description]] : []),
    ['Image', `${study.rows} \u00d7 ${study.columns} pixels of ${length(study.pixel_size, 4)}`],
    ['Slices', integer(study.slices)],
    ['Model', 'attenuation = ' + study.sites.filter((s) => s.kind === 'xrf')
      .map((s) => `${number(s.coefficient)} ${s.name}`).join(' + ') +
      (study.other ? ' + other' : '')],
  ];
  const options = Object.entries(summary.options ?? {})
    .map(([key, value]): Cell[] => [key, String(value)]);
  return section('study', 'Study and options',
    h('div', { class: 'columns' },
      table('Study', ['', ''], rows),
      isRunning(run) ? null : table('Time', ['Phase', 'Time'], times(run)),
      table('Program', ['', ''], program(run)),
      options.length > 0
        ? h('details', {}, h('summary', {}, 'All options of the run'),
          table('Options', ['Option', 'Value'], options)) : null),
    h('details', {}, h('summary', {}, 'study.toml of the run'),
      h('pre', { tabindex: 0 }, study.text)));
}

function times(run: RunDocument): Cell[][] {
  const { summary } = run;
  const phases = Object.entries(summary.phases ?? { solving: summary.seconds });
  const rows: Cell[][] = [];
  for (const [phase, value] of phases) {
    rows.push([phase, seconds(value)]);
    if (phase === 'solving' && summary.projection_seconds) {
      rows.push(['of which projections', seconds(summary.projection_seconds)]);
    }
  }
  return rows;
}

function program(run: RunDocument): Cell[][] {
  const { summary } = run;
  const rows: Cell[][] = [['Version of the run', summary.version],
    ['Version of this page', run.program]];
  if (summary.kernel) rows.push(['Projector kernel', summary.kernel]);
  if (summary.threads !== undefined) rows.push(['Threads', String(summary.threads)]);
  if (summary.lambda_max !== undefined) {
    rows.push(['\u03bb max of A\u1d40A', number(summary.lambda_max)]);
  }
  const f = summary.federation;
  if (f) {
    rows.push(['Federation', `run ${f.run}, attempt ${f.attempt}, ${f.sites} sites`]);
    rows.push(['Secure aggregation', f.secure_aggregation ? 'yes' : 'no']);
    rows.push(['Messages sent', `${integer(f.messages)}, ${integer(f.bytes)} bytes`]);
  }
  return rows;
}
