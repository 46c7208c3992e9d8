// Program: runs the program as a child process and reads the address of its dashboard.
import { spawn, type ChildProcess } from 'node:child_process';

export class Program {
  /** Exit code. */
  readonly ended: Promise<number>;
  private readonly child: ChildProcess;
  private output = '';
  private over = false;

  constructor(program: string, argv: string[], directory: string) {
    this.child = spawn(program, argv, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, OMP_NUM_THREADS: '1' } });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    this.ended = new Promise((done) => this.child.on('close', (code) => {
      this.over = true;
      done(code ?? -1);
    }));
  }

  /** Waits until the output matches, and returns the first group of the match. */
  async waitForOutput(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.output);
      if (found) return found[1]!;
      if (this.over) throw new Error(`expected ${String(pattern)}, found:\n${this.output}`);
      await new Promise((done) => setTimeout(done, 20));
    }
  }

  /** Address of the dashboard, with its token. */
  address(): Promise<string> {
    return this.waitForOutput(/^dashboard: (http:\S+)\n/m);
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): void {
    if (!this.over) this.child.kill(signal);
  }
}
