/**
 * The servers that the tests look at: ours, and TensorBoard with our plugin in it. `PROFILER_PYTHON` has both.
 * Training programs run with `PROGRAM_PYTHON`, which is the same unless it is named.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");
const PYTHON = process.env["PROFILER_PYTHON"] ?? "python";
const PROGRAM_PYTHON = process.env["PROGRAM_PYTHON"] ?? PYTHON;
const STARTED = /at (http:\/\/\S+?)\/? \(/;

export interface Server {
  /** Without a slash at its end. */
  address: string;
  stop: () => Promise<void>;
}

export interface Logs {
  folder: (name: string) => string;
  /** Adds a session while the servers run; call what it returns to take it away again. */
  add: (session: string) => () => void;
  remove: () => void;
}

/** The log directories of `logdir.py`, in a temporary folder. */
export function makeLogs(): Logs {
  const folder = mkdtempSync(join(tmpdir(), "profiles-"));
  const made = spawnSync(PYTHON, [join(import.meta.dirname, "logdir.py"), folder], {
    encoding: "utf8",
    env: environment(),
  });
  if (made.status !== 0) throw new Error(`${PYTHON} could not write the log directories:\n${made.stderr}`);
  const add = (session: string): (() => void) => {
    const target = join(folder, "logs", "late");
    const source = join(folder, "logs/gpu_train/plugins/profile/2024_05_07_12_00_00");
    cpSync(source, join(target, "plugins/profile", session), { recursive: true });
    return () => rmSync(target, { recursive: true });
  };
  return { folder: (name) => join(folder, name), add, remove: () => rmSync(folder, { recursive: true }) };
}

export function startStandalone(logdir: string, ...args: string[]): Promise<Server> {
  return start(["-m", "profiler_plugin", "serve", logdir, "--port", "0", "--no-cache", ...args]);
}

export function startTensorBoard(logdir: string, prefix: string): Promise<Server> {
  return start([
    "-m",
    "tensorboard.main",
    "--logdir",
    logdir,
    "--host",
    "127.0.0.1",
    "--port",
    "0",
    "--path_prefix",
    prefix,
  ]);
}

function environment(): NodeJS.ProcessEnv {
  const path = [process.env["PYTHONPATH"], ROOT].filter(Boolean).join(delimiter);
  return { ...process.env, PYTHONPATH: path, PYTHONUNBUFFERED: "1" };
}

/** A training program of `tests/capture/programs` with our profiler server in it; `address` is host:port. */
export function startProgram(name: string, ...args: string[]): Promise<Server> {
  const program = join(ROOT, "tests/capture/programs", `${name}.py`);
  return start([program, ...args], /^(\S+:\d+)$/m, PROGRAM_PYTHON);
}

/** Resolves once the server says where it listens. */
function start(args: string[], started = STARTED, python = PYTHON): Promise<Server> {
  const child = spawn(python, args, { cwd: tmpdir(), env: environment() });
  return new Promise((resolve, reject) => {
    let said = "";
    const listen = (chunk: Buffer): void => {
      said += chunk.toString();
      const address = started.exec(said)?.[1];
      if (address) resolve({ address, stop: () => stop(child) });
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.on("error", reject);
    child.on("exit", () => reject(new Error(`${python} ${args.join(" ")} ended:\n${said}`)));
  });
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on("exit", () => resolve());
    child.kill();
  });
}
