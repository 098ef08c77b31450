import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { baseEnvironment } from '../src/platform/config/environment.ts';
import { endProcess, signalProcessGroup } from './process-life.ts';

export type GuardianMessage = { started: number; stopSignal: NodeJS.Signals } | { ended: number };

export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** More of its environment, which it waits for: one line of its standard input. If it rejects, the program waits until it is stopped. */
  readonly laterEnv?: Promise<NodeJS.ProcessEnv>;
  readonly stopSignal?: NodeJS.Signals;
  readonly uid?: number;
  readonly gid?: number;
}

export interface ReadyLine {
  readonly ready: true;
  readonly url?: string;
  readonly metricsUrl?: string;
  /** Of a worker that is a version of a deployment. */
  readonly buildId?: string;
}

export interface Child {
  readonly name: string;
  readonly pid: number;
  /** Whether it had to wait for the rest of its environment. */
  readonly waited: boolean;
  /** The `{"ready":true}` line of a program that prints one; rejects when it ends before. */
  readonly ready: Promise<ReadyLine>;
  readonly ended: Promise<Ending>;
  /** Ends it with its stop signal, or the one given; by force after 15 s. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

interface Ending {
  readonly name: string;
  /** Exit code, signal or error message, as text. */
  readonly how: string;
  /** True when `stop` was not called. */
  readonly unexpected: boolean;
}

export interface Supervisor {
  /**
   * Starts a program whose output goes to its log file. It ends when this process ends, for whatever reason. Its end counts
   * as a crash only after `confirmed` has resolved; by default at once.
   */
  start(program: Program, confirmed?: Promise<unknown>): Child;
  /** The first child that ended unexpectedly. */
  readonly crashed: Promise<Ending>;
  /** Ends every child: those that waited for others first, then the newest first. */
  stop(): Promise<void>;
  logFile(name: string): string;
}

const graceMs = 15_000;
/** How long to wait for the complete log of an ended program. */
const logFlushMs = 1000;

/** Starts the supervisor of a data folder; undefined when another supervisor still holds the folder after `waitMs`. */
export async function startSupervisor(folder: string, waitMs = 0): Promise<Supervisor | undefined> {
  const guardian = await startGuardian(folder, waitMs);
  if (!guardian) return undefined;

  const logs = await freshLogFolder(folder);
  const children: Child[] = [];
  let stopping: Promise<void> | undefined;
  const crash = Promise.withResolvers<Ending>();
  const logFile = (name: string) => join(logs, `${name}.log`);
  void guardian.ended.then((ending) => {
    if (ending.unexpected) crash.resolve(ending);
  });
  return {
    crashed: crash.promise,
    logFile,
    start(program, confirmed = Promise.resolve()) {
      if (stopping) throw new Error(`${program.name} was not started: everything is being stopped`);
      const child = startChild(program, logFile(program.name));
      guardian.tell({ started: child.pid, stopSignal: program.stopSignal ?? 'SIGTERM' });
      void child.ended.then(async (ending) => {
        guardian.tell({ ended: child.pid });
        await confirmed;
        if (ending.unexpected) crash.resolve(ending);
      });
      children.push(child);
      return child;
    },
    stop() {
      return (stopping ??= stopAll());
    },
  };

  async function stopAll(): Promise<void> {
    const last = children.filter(({ waited }) => !waited).toReversed();
    for (const child of [...children.filter(({ waited }) => waited), ...last]) await child.stop();
    await guardian?.stop();
  }
}

/** Why a program ended, and its last log lines. */
export async function exitReport(name: string, how: string, logFile: string): Promise<string> {
  if (!existsSync(logFile)) return `${name} ended (${how})`;
  const tail = (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-40).join('\n');
  return `${name} ended (${how}). The last lines of ${logFile}:\n${tail}`;
}

async function freshLogFolder(folder: string): Promise<string> {
  const logs = join(folder, 'logs');
  const previous = join(folder, 'logs.previous');
  if (existsSync(logs)) {
    await rm(previous, { recursive: true, force: true });
    await rename(logs, previous);
  }
  await mkdir(logs);
  return logs;
}

function startChild(program: Program, logFile: string): Child {
  const { name, command, args, env, laterEnv, uid, gid, stopSignal = 'SIGTERM' } = program;
  // A separate process group: Ctrl-C reaches only the supervisor, which then ends the children in order.
  const owner = { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
  const child = spawn(command, args, { env, detached: true, stdio: ['pipe', 'pipe', 'pipe'], ...owner });
  giveInput(child, laterEnv);
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const written = new Promise<void>((resolve) => {
    log.once('close', resolve);
  });
  // Its own children may still print after its exit.
  child.once('close', () => log.end());
  const exited = endingOf(child, name);
  if (child.pid === undefined) throw new Error(`${name} could not be started: ${command} cannot be run`);

  const { pid } = child;
  const state = { asked: false };
  const ended = exited.then(async (ending) => {
    const unexpected = !state.asked;
    signalProcessGroup(pid, 'SIGKILL');
    await Promise.race([written, pause(logFlushMs, undefined, { ref: false })]);
    return { ...ending, unexpected };
  });
  const ready = Promise.race([
    readyLine(child),
    ended.then(async ({ how }) => Promise.reject(new Error(await exitReport(name, how, logFile)))),
  ]);
  ready.catch(() => undefined);
  return {
    name,
    pid,
    waited: laterEnv !== undefined,
    ready,
    ended,
    async stop(signal = stopSignal) {
      state.asked = true;
      await endProcess(pid, signal, graceMs);
      await ended;
    },
  };
}

/** What it waits for, or nothing. It may have ended meanwhile, which `ended` says. */
function giveInput({ stdin }: ChildProcess, laterEnv: Program['laterEnv']): void {
  stdin?.on('error', () => undefined);
  if (laterEnv === undefined) stdin?.end();
  else laterEnv.then((env) => stdin?.end(`${JSON.stringify(env)}\n`)).catch(() => undefined);
}

function endingOf(child: ChildProcess, name: string): Promise<Omit<Ending, 'unexpected'>> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      resolve({ name, how: error.message });
    });
    child.once('exit', (code, signal) => {
      resolve({ name, how: signal ?? `exit code ${code ?? 'unknown'}` });
    });
  });
}

function readyLine({ stdout }: ChildProcess): Promise<ReadyLine> {
  return new Promise((resolve) => {
    let begun = '';
    const listen = (chunk: Buffer) => {
      const lines = (begun + chunk.toString()).split('\n');
      begun = lines.pop() ?? '';
      const found = lines.find((line) => line.startsWith('{"ready":true'));
      if (found === undefined) return;
      stdout?.off('data', listen);
      resolve(JSON.parse(found) as ReadyLine);
    };
    stdout?.on('data', listen);
  });
}

async function startGuardian(folder: string, waitMs: number) {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      fileURLToPath(new URL('./guardian.ts', import.meta.url)),
      folder,
      String(waitMs),
    ],
    { detached: true, stdio: ['pipe', 'pipe', 'inherit'], env: baseEnvironment() },
  );
  const ended = endingOf(child, 'guardian');
  const state = { asked: false };
  const answer = await Promise.race([
    readyLine(child) as Promise<ReadyLine & { held: boolean }>,
    ended.then(({ how }) => Promise.reject(new Error(`the guardian of ${folder} could not be started (${how})`))),
  ]);
  const stop = async () => {
    state.asked = true;
    child.stdin.end();
    await ended;
  };
  if (!answer.held) {
    await stop();
    return undefined;
  }
  return {
    ended: ended.then((ending) => ({ ...ending, unexpected: !state.asked })),
    stop,
    tell(message: GuardianMessage) {
      if (child.stdin.writable) child.stdin.write(`${JSON.stringify(message)}\n`);
    },
  };
}
