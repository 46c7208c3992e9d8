// Puts the images of several runs on one board: a row for each run, and one for the truth.
import type { BoardContent, View } from '../images/image_board';
import type { ComparedRun } from './comparison';
import type { StackSet } from '../document';
import { imageNotes } from '../images/image_notes';
import { Stack } from '../images/stack';

interface RunImages {
  name: string;
  number: number;
  study: string;
  set: StackSet;
}

// Slices that all kept runs have. Leaves out a run that shares no slice with the runs before it.
function commonSlices(runs: RunImages[]): { kept: RunImages[]; slices: number[] } {
  const kept: RunImages[] = [];
  let slices: number[] = [];
  for (const run of runs) {
    const shared = kept.length === 0 ? run.set.slices
      : slices.filter((s) => run.set.slices.includes(s));
    if (shared.length === 0) continue;
    slices = shared;
    kept.push(run);
  }
  return { kept, slices };
}

function stacksOf(run: RunImages, slices: number[], view: string, as: string): Stack[] {
  const order = slices.map((s) => run.set.slices.indexOf(s));
  return run.set.stacks.filter((s) => s.view === view).map((s) =>
    new Stack({ ...s, view: as }, run.set.reduction, run.set.pixel_size, order));
}

export function comparedImages(runs: ComparedRun[]): BoardContent | null {
  const withImages = runs.flatMap(({ name, document: d }, number): RunImages[] =>
    d.images ? [{ name, number, study: d.summary.study, set: d.images }] : []);
  const { kept, slices } = commonSlices(withImages);
  if (kept.length === 0) return null;
  const stacks = kept.flatMap((run) =>
    stacksOf(run, slices, 'reconstruction', `run-${run.number}`));
  // All runs of a study have the same truth: take each site's from the first run that has it.
  const truths = new Map<string, Stack>();
  for (const run of kept.filter((r) => r.study === kept[0]!.study)) {
    for (const stack of stacksOf(run, slices, 'truth', 'truth')) {
      if (!truths.has(stack.packed.site)) truths.set(stack.packed.site, stack);
    }
  }
  return {
    views: viewsOf(kept), stacks: [...stacks, ...truths.values()], slices,
    notes: notesOf(runs, kept, slices),
  };
}

function viewsOf(kept: RunImages[]): View[] {
  const first = kept[0]!;
  const alike = kept.filter((run) => run.study === first.study);
  const row = (run: RunImages) => ({ id: `run-${run.number}`, text: run.name,
    from: `run-${run.number}`, minus: '' });
  return [
    ...kept.map(row),
    { id: 'truth', text: alike.length < kept.length ? `Truth of ${first.study}` : 'Truth',
      from: 'truth', minus: '' },
    ...alike.slice(1).map((run) => ({ id: `minus-${run.number}`,
      text: `${run.name} \u2212 ${first.name}`, from: `run-${run.number}`,
      minus: `run-${first.number}` })),
  ];
}

function notesOf(runs: ComparedRun[], kept: RunImages[], slices: number[]): string[] {
  const omitted = runs.filter((_, k) => !kept.some((run) => run.number === k)).map((r) => r.name);
  const notes = [...new Set(kept.flatMap((run) => imageNotes(run.set, true)))];
  if (omitted.length > 0) {
    notes.push('Not shown, because they have no images or share no slice with the other runs: ' +
      `${omitted.join(', ')}.`);
  }
  if (kept.some((run) => run.set.slices.length > slices.length)) {
    notes.push(`Only slices that all runs have are shown: ${slices.join(', ')}.`);
  }
  const sizes = new Set(kept.flatMap((run) => run.set.stacks
    .filter((s) => s.view === 'reconstruction').map((s) => `${s.rows} \u00d7 ${s.columns}`)));
  if (sizes.size > 1) {
    notes.push(`Images have different sizes (${[...sizes].join(', ')} pixels): the cursor marks ` +
      'the same relative position in each, and differences are not shown.');
  }
  return notes;
}
