// Tests of the dashboard's and the comparison's parts that need no browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparedImages } from '../src/compare/comparison_images';
import { best, differences } from '../src/compare/comparison_table';
import type { Curve, Live, RunDocument } from '../src/document';
import { LiveRun } from '../src/live/live_run';
import { clock, remainingText, roundText, stateText, titleText } from '../src/live/status_text';
import { DrawScheduler } from '../src/live/draw_scheduler';
import type { Change } from '../src/panel';
import { EventParser, type ServerEvent } from '../src/live/event_parser';
import { shouldDisconnect } from '../src/live/browser_tabs';
import { mostPoints, thinned, thinnedPoints } from '../src/charts/thinned_curve';
import { parseToken } from '../src/live/token';

function events(chunks: Uint8Array[]): ServerEvent[] {
  const found: ServerEvent[] = [];
  const parser = new EventParser((event) => found.push(event));
  for (const chunk of chunks) parser.push(chunk);
  return found;
}

const stream = ': a comment\r\n\r\nevent: status\ndata: {"a":\ndata:  1}\n\nevent: empty\n\n' +
  'data: \u03a3 c \u00b7 \ud83d\ude00\r\rid: 7\nevent:end\ndata\n\nevent: unfinished\ndata: x\n';
const expected = [{ event: 'status', data: '{"a":\n 1}' },
  { event: 'message', data: '\u03a3 c \u00b7 \ud83d\ude00' }, { event: 'end', data: '' }];

test('parses the same events however their bytes are cut', () => {
  const bytes = new TextEncoder().encode(stream);
  assert.deepEqual(events([bytes]), expected);
  assert.deepEqual(events([...bytes].map((b) => new Uint8Array([b]))), expected);
  for (let cut = 0; cut <= bytes.length; ++cut) {
    assert.deepEqual(events([bytes.slice(0, cut), bytes.slice(cut)]), expected, `cut at ${cut}`);
  }
  const windows = new TextEncoder().encode(stream.replace(/\r\n|\r|\n/g, '\r\n'));
  for (let cut = 0; cut <= windows.length; ++cut) {
    assert.deepEqual(events([windows.slice(0, cut), windows.slice(cut)]), expected);
  }
});

test('thinning keeps the first tenth, all extremes and the last point', () => {
  const values = Array.from({ length: 10000 }, (_, k) => 1 / (k + 1));
  values[5000] = 7;
  values[7000] = -3;
  const kept = thinned(values, [...values.keys()], 2000);
  assert.ok(kept.length <= 2000 && kept.length > 1900);
  assert.deepEqual(kept.slice(0, 200), Array.from({ length: 200 }, (_, k) => k));
  for (const k of [5000, 7000, 9999]) assert.ok(kept.includes(k), String(k));
  assert.deepEqual(kept, [...new Set(kept)].sort((a, b) => a - b));
  assert.deepEqual(thinned([1, NaN, null, 2, Infinity], [0, 1, 2, 3, 4], 20), [0, 3]);
});

function curve(key: string, from: number, count: number): Curve {
  const round = Array.from({ length: count }, (_, k) => from + k);
  return { key, site: '', points: count, round, seconds: round.map((r) => r / 10),
    value: round.map((r) => (r === 3000 ? 9 : 1 / (1 + r))) };
}

function live(more: Partial<Live> = {}): Live {
  return { state: 'computing', stage: 'local steps', round: 37, limit: 100, chunk: 0, chunks: 1,
    seconds: 1, remaining: null, at_most: false, progress: 0.379, messages: [], warnings: [],
    images: 0, control: true, ...more };
}

function run(more: Partial<RunDocument> = {}): RunDocument {
  return { format: 'firm-report', version: 1, program: '1', kind: 'recon',
    summary: { study: 's', version: '1', seconds: 1 }, live: live(), ...more };
}

test('a live run grows by its events and keeps its curves bounded', () => {
  const grown = new LiveRun();
  grown.rounds([curve('objective', 0, 3)]);
  assert.equal(grown.document, undefined);
  grown.begin(run());
  for (let at = 0; at < 20000; at += 50) grown.rounds([curve('objective', at, 50)]);
  const [objective] = grown.document!.curves!;
  assert.equal(objective!.points, 20000);
  assert.ok(objective!.value.length <= mostPoints && objective!.value.length > thinnedPoints / 2);
  assert.equal(objective!.round[objective!.value.indexOf(9)], 3000);
  assert.equal(objective!.seconds[objective!.value.indexOf(9)], 300);
  assert.equal(objective!.round[objective!.round.length - 1], 19999);
  // Repeated thinning leaves no interval without points.
  const gaps = objective!.round.slice(1).map((r, k) => r - objective!.round[k]!);
  assert.ok(Math.max(...gaps) < 60, String(Math.max(...gaps)));
  grown.rounds([{ ...curve('residual', 0, 2), site: 'xrt' }]);
  assert.deepEqual(grown.document!.curves!.map((c) => [c.key, c.site]),
    [['objective', ''], ['residual', 'xrt']]);
  grown.status(live({ state: 'paused' }));
  assert.equal(grown.document!.live!.state, 'paused');
});

const set = { all_slices: 1, slices: [0], reduction: 1, stacks: [] };

test('a live run keeps its images through a new connection', () => {
  const grown = new LiveRun();
  grown.begin(run());
  grown.images(set);
  grown.begin(run({ live: live({ images: 3 }) }));
  assert.equal(grown.document!.images, set);
  grown.begin(run({ live: live({ images: 0 }) }));
  assert.equal(grown.document!.images, undefined);
});

/** A browser whose frames come when the test wants them. */
class Frames {
  now = 0;
  /** Milliseconds of one drawing, and of painting a frame. */
  drawing = 0;
  painting = 0;
  fails = false;
  readonly drawn: Change[] = [];
  readonly waits: number[] = [];
  private readonly waiting: { at: number; then: () => void }[] = [];
  readonly scheduler = new DrawScheduler(250, (change) => {
    if (this.fails) throw new Error('drawn wrongly');
    this.drawn.push(change);
    this.now += this.drawing;
  }, {
    now: () => this.now,
    later: (then, milliseconds) => {
      this.waits.push(milliseconds);
      this.waiting.push({ at: this.now + milliseconds, then });
    },
    painted: (then) => {
      this.now += this.painting;
      then();
    },
  });

  /** Runs until all requests are drawn; returns the drawings. */
  run(): Change[] {
    while (this.waiting.length > 0) {
      this.waiting.sort((a, b) => a.at - b.at);
      const { at, then } = this.waiting.shift()!;
      this.now = Math.max(this.now, at);
      then();
    }
    return this.drawn.splice(0);
  }
}

test('the scheduler draws requests together, with a pause between', () => {
  const frames = new Frames();
  frames.scheduler.request('rounds');
  frames.scheduler.request('rounds');
  frames.scheduler.request('status');
  assert.deepEqual(frames.waits, [0]);
  assert.deepEqual(frames.run(), ['rounds', 'status']);
  frames.now = 200;
  frames.scheduler.request('rounds');
  assert.equal(frames.waits.at(-1), 50);
  frames.scheduler.request('images'); // Images have a pause of their own; parts that are due soon join.
  assert.equal(frames.waits.at(-1), 0);
  assert.deepEqual(frames.run(), ['rounds', 'images']);
  frames.scheduler.request('status');
  frames.scheduler.request('all');
  assert.deepEqual(frames.run(), ['all']);
});

test('the scheduler draws a whole document after its pause, and pauses its parts', () => {
  const frames = new Frames();
  frames.drawing = 10;
  frames.scheduler.request('all');
  assert.deepEqual(frames.run(), ['all']);
  assert.equal(frames.scheduler.delay('status'), 240);
  frames.scheduler.request('status');
  frames.scheduler.request('all');
  assert.deepEqual(frames.run(), ['status', 'all']);
  assert.deepEqual(frames.waits, [0, 240, 240]); // half a second after the first document
});

test('the scheduler keeps a pause that was skipped while the page is painted', () => {
  const waiting: (() => void)[] = [];
  let now = 0;
  const scheduler = new DrawScheduler(250, () => (now += 50), { now: () => now,
    later: (then) => waiting.push(then), painted: (then) => waiting.push(then) });
  scheduler.request('status');
  waiting.shift()!();
  scheduler.skipPause('status');
  waiting.shift()!();
  assert.equal(scheduler.delay('status'), 0);
});

test('the scheduler survives an error in drawing', () => {
  const frames = new Frames();
  frames.fails = true;
  frames.scheduler.request('rounds');
  assert.throws(() => frames.run(), /drawn wrongly/);
  frames.fails = false;
  frames.scheduler.request('rounds');
  assert.deepEqual(frames.run(), ['rounds']);
});

test('the scheduler pauses longer after expensive drawings', () => {
  const frames = new Frames();
  for (frames.drawing of [1, 10, 200, 0]) {
    frames.scheduler.request('rounds');
    frames.run();
  }
  // From the end of one drawing to the start of the next.
  assert.deepEqual(frames.waits, [0, 399, 3990, 9800]);
  [frames.drawing, frames.painting] = [4, 6];
  frames.scheduler.request('rounds');
  frames.run();
  assert.equal(frames.scheduler.delay('rounds'), 3990);
  assert.equal(frames.scheduler.delay('status'), 0);
  frames.scheduler.request('rounds');
  frames.scheduler.skipPause('rounds');
  assert.deepEqual(frames.waits.slice(-2), [3990, 0]);
  assert.deepEqual(frames.run(), ['rounds']);
});

test('the scheduler draws requests made during painting next', () => {
  const done: Change[] = [];
  const waiting: (() => void)[] = [];
  const scheduler = new DrawScheduler(250, (change) => done.push(change), { now: () => 0,
    later: (then) => waiting.push(then), painted: (then) => waiting.push(then) });
  scheduler.request('rounds');
  waiting.shift()!();
  scheduler.request('status');
  assert.equal(waiting.length, 1);
  waiting.shift()!();
  waiting.shift()!();
  assert.deepEqual(done, ['rounds', 'status']);
  waiting.shift()!();
  assert.equal(waiting.length, 0);
});

test('describes the state of a run in words', () => {
  assert.equal(clock(65.9), '1:05');
  assert.equal(clock(7384), '2:03:04');
  assert.equal(clock(-1), '0:00');
  assert.equal(roundText(live()), '37 of at most 100');
  assert.equal(roundText(live({ limit: 0 })), '37');
  assert.equal(titleText(run(), true), '37 % \u00b7 s \u2013 FIRM');
  assert.equal(titleText(run({ live: live({ progress: null }) }), true),
    'round 37 \u00b7 s \u2013 FIRM');
  const paused = run({ live: live({ state: 'paused' }) });
  assert.equal(titleText(paused, true), 'paused \u00b7 s \u2013 FIRM');
  const finished = run({ live: live({ state: 'finished' }) });
  assert.equal(titleText(finished, true), 'finished \u00b7 s \u2013 FIRM');
  assert.equal(titleText(finished, false), 's \u2013 FIRM');
  assert.equal(stateText(run({ live: live({ state: 'stopped' }) })),
    'Stopped before converging; use --resume to continue');
  assert.equal(stateText(run({ live: live({ state: 'stopped' }), kind: 'site' })),
    'Stopped before converging; repeat the command to continue');
  const said = [{ seconds: 1, text: 'a.h5: no such file' }];
  assert.equal(stateText(run({ live: live({ state: 'failed', stage: '', messages: said }) })),
    'Failed: a.h5: no such file');
});

test('shows the remaining time if it is known', () => {
  const halfway = { remaining: 65, progress: 0.5 };
  assert.equal(remainingText(live(halfway)), 'about 1:05');
  assert.equal(remainingText(live({ ...halfway, at_most: true })), 'at most 1:05');
  assert.equal(remainingText(live()), '');
  assert.equal(remainingText(live({ ...halfway, state: 'finished' })), '');
});

test('only the tabs that were looked at last listen', () => {
  const seen = [1, 2, 3, 4, 5, 6, 7];
  const listening = (hidden: boolean) => seen.filter((own) =>
    !shouldDisconnect(hidden, own, seen.filter((other) => other !== own)));
  assert.deepEqual(listening(true), [4, 5, 6, 7]);
  assert.deepEqual(listening(false), seen);
  assert.equal(shouldDisconnect(true, 1, [2, 3, 4]), false);
});

test('finds the token in a pasted address', () => {
  assert.equal(parseToken('http://127.0.0.1:8080/#token=6c1f'), '6c1f');
  assert.equal(parseToken('#token=6c1f'), '6c1f');
  assert.equal(parseToken('token=6c1f '), '6c1f');
  assert.equal(parseToken('#images'), '');
});

test('marks the best value of a column unless all are equal', () => {
  assert.deepEqual(best([3, 1, null, 2]), [false, true, false, false]);
  assert.deepEqual(best([1, 1]), [false, false]);
  assert.deepEqual(best([1, undefined]), [false, false]);
});

function withImages(slices: number[], size: number, study = 's'): RunDocument {
  const floats = new Float32Array(slices.flatMap((s) => Array<number>(size * size).fill(s)));
  const values = Buffer.from(floats.buffer).toString('base64');
  const stack = (view: string) => ({ site: 'xrt', view, rows: size, columns: size, low: 0, high: 9,
    bits: 32 as const, values });
  return run({ summary: { study, version: '1', seconds: 1 }, images: { all_slices: 9, slices,
    reduction: 1, pixel_size: 1, stacks: [stack('reconstruction'), stack('truth')] } });
}

test('compares runs in the slices that all of them have', () => {
  const runs = [{ name: 'a', document: withImages([2, 4, 6], 2) },
    { name: 'b', document: withImages([4, 5, 6], 3) }, { name: 'c', document: withImages([8], 2) },
    { name: 'd', document: run() }];
  const found = comparedImages(runs)!;
  assert.deepEqual(found.slices, [4, 6]);
  assert.deepEqual(found.views.map((v) => v.text), ['a', 'b', 'Truth', 'b \u2212 a']);
  assert.deepEqual(found.stacks.map((s) => s.packed.view), ['run-0', 'run-1', 'truth']);
  assert.deepEqual(found.stacks.map((s) => s.slice(1)[0]), [6, 6, 6]);
  const notes = found.notes.join(' ');
  assert.match(notes, /share no slice with the other runs: c, d\./);
  assert.match(notes, /2 \u00d7 2, 3 \u00d7 3 pixels/);
  assert.equal(comparedImages([runs[3]!]), null);
  const other = { name: 'e', document: withImages([4], 2, 'another') };
  assert.match(differences([runs[0]!, other]).join(' '), /different studies \(s, another\)/);
});
