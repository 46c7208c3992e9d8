// The program as a process of its own, with the address of its dashboard.
import { spawn, type ChildProcess } from 'node:child_process';

export class Program {
  /** Exit code. */
  readonly ended: Promise<number>;
  private readonly child: ChildProcess;
  private said = '';
  private over = false;

  constructor(program: string, argv: string[], directory: string) {
    this.child = spawn(program, argv, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, OMP_NUM_THREADS: '1' } });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.said += text));
    }
    this.ended = new Promise((done) => this.child.on('close', (code) => {
      this.over = true;
      done(code ?? -1);
    }));
  }

  /** What a line says behind these words. */
  async says(words: RegExp): Promise<string> {
    for (;;) {
      const found = words.exec(this.said);
      if (found) return found[1]!;
      if (this.over) throw new Error(`expected ${String(words)}, found:\n${this.said}`);
      await new Promise((done) => setTimeout(done, 20));
    }
  }

  /** firm view prints it without a word before it. */
  address(): Promise<string> {
    return this.says(/^(?:dashboard: )?(http:\S+)\n/m);
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): void {
    if (!this.over) this.child.kill(signal);
  }
}
