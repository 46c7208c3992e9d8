// What was asked for, and with what: study, options, time, versions.
import { h, section, table, type Cell } from './dom';
import { goesOn, type RunDocument } from './document';
import { integer, length, number, seconds } from './format';

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
      goesOn(run) ? null : table('Time', ['phase', 'time'], times(run)),
      table('Program', ['', ''], program(run)),
      options.length > 0
        ? h('details', {}, h('summary', {}, 'All options, as used'),
          table('Options', ['option', 'value'], options)) : null),
    h('details', {}, h('summary', {}, 'study.toml, as resolved'),
      h('pre', { tabindex: 0 }, study.text)));
}

function times(run: RunDocument): Cell[][] {
  const { summary } = run;
  const phases = Object.entries(summary.phases ?? { solving: summary.seconds });
  const rows: Cell[][] = [];
  for (const [phase, value] of phases) {
    rows.push([phase, seconds(value)]);
    if (phase === 'solving' && summary.projection_seconds) {
      rows.push(['of it in projections', seconds(summary.projection_seconds)]);
    }
  }
  return rows;
}

function program(run: RunDocument): Cell[][] {
  const { summary } = run;
  const rows: Cell[][] = [['firm of the run', summary.version], ['firm of this page', run.program]];
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
