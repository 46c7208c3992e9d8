// Runs: makes studies and runs in a temporary directory, for the tests of their pages.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunDocument, Summary } from '../src/document';
import { Program } from './program';

const program = process.env['FIRM_PROGRAM'] ?? 'firm';

export class Runs {
  readonly directory = mkdtempSync(join(tmpdir(), 'firm-page-'));
  private readonly started: Program[] = [];

  path(...names: string[]): string {
    return join(this.directory, ...names);
  }

  firm(...argv: string[]): string {
    return execFileSync(program, argv, { cwd: this.directory, encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, OMP_NUM_THREADS: '2' } });
  }

  /** Starts the program without waiting for its end. */
  start(...argv: string[]): Program {
    const started = new Program(program, argv, this.directory);
    this.started.push(started);
    return started;
  }

  summary(run: string): Summary {
    return JSON.parse(readFileSync(this.path(run, 'summary.json'), 'utf8')) as Summary;
  }

  /** Simulates a study and sets its name. */
  study(out: string, name: string, ...more: string[]): void {
    this.firm('simulate', '--out', out, ...more);
    const file = this.path(out, 'study.toml');
    const text = readFileSync(file, 'utf8').replace(/^name = .*$/m, `name = ${JSON.stringify(name)}`);
    writeFileSync(file, text);
  }

  editSummary(run: string, edit: (summary: Summary) => void): void {
    const summary = this.summary(run);
    edit(summary);
    writeFileSync(this.path(run, 'summary.json'), JSON.stringify(summary));
  }

  /** Replaces every line of the history. */
  editHistory(run: string, edit: (line: Record<string, unknown>) => object): void {
    const file = this.path(run, 'history.jsonl');
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
      .map((line) => JSON.stringify(edit(JSON.parse(line) as Record<string, unknown>)));
    writeFileSync(file, `${lines.join('\n')}\n`);
  }

  /** Adds rounds to the history of a run, with a peak at round 5000. */
  lengthen(run: string, rounds: number): void {
    const lines: string[] = [];
    for (let round = 100; round < 100 + rounds; ++round) {
      const value = round === 5000 ? 7 : 1 / round;
      lines.push(JSON.stringify({ round, seconds: round / 100, objective: value, step_norm: value,
        constraint_violation: value, kkt: value, residuals: { 'xrf-1': value, xrt: value } }));
    }
    appendFileSync(this.path(run, 'history.jsonl'), `${lines.join('\n')}\n`);
  }

  /** The document that a page holds. */
  document(page: string): RunDocument {
    const html = readFileSync(page, 'utf8');
    const start = html.indexOf('id="firm-document">') + 'id="firm-document">'.length;
    return JSON.parse(html.slice(start, html.indexOf('</script>', start))) as RunDocument;
  }

  /** Values of a TIFF as the program writes it: one strip of float32, little-endian. */
  tiff(run: string, site: string, slice: number): { columns: number; values: Float32Array } {
    const name = `recon_${String(slice).padStart(5, '0')}.tiff`;
    const bytes = readFileSync(this.path(run, 'recon', `${site}_rec`, name));
    const directory = bytes.readUInt32LE(4);
    const tags = new Map<number, number>();
    for (let k = 0; k < bytes.readUInt16LE(directory); ++k) {
      const at = directory + 2 + 12 * k;
      const short = bytes.readUInt16LE(at + 2) === 3;
      tags.set(bytes.readUInt16LE(at), short ? bytes.readUInt16LE(at + 8)
        : bytes.readUInt32LE(at + 8));
    }
    const [columns, rows, offset] = [tags.get(256)!, tags.get(257)!, tags.get(273)!];
    const values = new Float32Array(rows * columns);
    for (let k = 0; k < values.length; ++k) values[k] = bytes.readFloatLE(offset + 4 * k);
    return { columns, values };
  }

  async remove(): Promise<void> {
    for (const each of this.started) each.kill();
    await Promise.all(this.started.map((each) => each.ended));
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 10 });
  }
}
