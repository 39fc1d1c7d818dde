#!/usr/bin/env node
/**
 * What a reader of the timeline waits for, measured in Chromium with software graphics:
 *
 *   node benchmarks/timeline_browser.mjs [--events 1000000] [--runs 3] [--seconds 60] [--source FILE.xplane.pb.gz]
 *   node benchmarks/timeline_browser.mjs --peer
 *
 * Time from the address to the first picture of events, with a server and caches that know nothing (cold) and once more
 * (warm); frames while keys pan and zoom; the heap of the page afterwards. `--peer` also opens the same file in both
 * viewers of xprof 2.24.2, by its own server and in TensorBoard, and in ours in TensorBoard, in turns. PROFILER_PYTHON
 * runs this project's servers.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";

const HERE = import.meta.dirname;
const ROOT = resolve(HERE, "..");
const CACHE = join(HERE, ".cache");
const PYTHON = process.env.PROFILER_PYTHON ?? "python";
const SESSION = "long/plugins/profile/2024_05_07_12_00_00";
const RUN = "long/2024_05_07_12_00_00";
const BROWSER = ["--no-sandbox", "--disable-gpu"];
// The second viewer of xprof draws with WebGPU only; these let Chromium compute it without a graphics card.
const WEBGPU =
  "--no-sandbox --enable-unsafe-swiftshader --enable-unsafe-webgpu --use-webgpu-adapter=swiftshader " +
  "--enable-features=Vulkan --use-vulkan=swiftshader --use-angle=swiftshader --ignore-gpu-blocklist";
const { chromium } = createRequire(join(ROOT, "frontend/package.json"))("@playwright/test");

const { values: options } = parseArgs({
  options: {
    events: { type: "string", default: "1000000" },
    runs: { type: "string", default: "3" },
    seconds: { type: "string", default: "60" },
    source: {
      type: "string",
      default: join(ROOT, "tests/data/jax_train/host.xplane.pb.gz"),
    },
    peer: { type: "boolean", default: false },
  },
});

function scaled(source, events) {
  const target = join(CACHE, `timeline_${basename(source).split(".")[0]}_${events}.xplane.pb`);
  mkdirSync(CACHE, { recursive: true });
  if (!existsSync(target)) {
    const env = { ...process.env, PYTHONPATH: ROOT };
    execFileSync(PYTHON, [join(HERE, "scale.py"), source, events, target], {
      env,
    });
  }
  return target;
}

/** Python of an environment with the peer and TensorBoard; made on the first run. */
function peerPython() {
  const folder = join(CACHE, "peer-tensorboard");
  const python = join(folder, "bin/python");
  if (!existsSync(join(folder, "done"))) {
    execFileSync(PYTHON, ["-m", "venv", "--clear", folder]);
    execFileSync(python, ["-m", "pip", "install", "--quiet", "xprof==2.24.2", "tensorboard", "setuptools<81"]);
    writeFileSync(join(folder, "done"), "");
  }
  return python;
}

const tensorboard = (python) => (logdir) => [python, "-m", "tensorboard.main", "--logdir", logdir];
const PAGE = `p.profile.run=${RUN}&p.profile.tag=trace_viewer`;
const XPROF = `/?run=${encodeURIComponent(RUN)}&tag=trace_viewer%40&host=host`;
const OURS = {
  name: "ours",
  command: (logdir) => [PYTHON, "-m", "profiler_plugin", "serve", logdir],
  path: `/#run=${RUN}&tag=trace_viewer`,
  browser: BROWSER,
};
const others = () => [
  ...viewersOfPeer("xprof", (logdir) => [peerPython(), join(HERE, "peer_server.py"), "--logdir", logdir], XPROF),
  {
    name: "ours in TensorBoard",
    command: tensorboard(PYTHON),
    path: `/#profile&${PAGE}`,
    browser: BROWSER,
  },
  ...viewersOfPeer("xprof in TensorBoard", tensorboard(peerPython()), `${XPROF}#profile`),
];

function viewersOfPeer(name, command, path) {
  return [
    { name: `${name}, first viewer`, command, path, browser: BROWSER },
    { name: `${name}, second viewer`, command, path, browser: WEBGPU.split(" "), before: second },
  ];
}

/** Chooses the second viewer; a parameter in the address of TensorBoard does not reach it. */
function second() {
  localStorage.setItem("use_trace_viewer_v2", "true");
}

/** A server over a log directory of its own that holds only the profile. */
async function serve(program, profile) {
  const logdir = mkdtempSync(join(CACHE, "logdir-"));
  mkdirSync(join(logdir, SESSION), { recursive: true });
  linkSync(profile, join(logdir, SESSION, "host.xplane.pb"));
  const env = {
    ...process.env,
    PYTHONUNBUFFERED: "1",
    XDG_CACHE_HOME: join(logdir, "cache"),
  };
  const [python, ...args] = [...program.command(logdir), "--host", "127.0.0.1", "--port", "0"];
  if (python === PYTHON) env.PYTHONPATH = ROOT;
  const child = spawn(python, args, { cwd: tmpdir(), env });
  const address = await new Promise((found, failed) => {
    let said = "";
    const listen = (chunk) => {
      said += chunk;
      const match = /at (http:\/\/\S+?)\/? \(/.exec(said);
      if (match) found(match[1]);
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.on("exit", () => failed(new Error(said)));
  });
  const stop = async () => {
    await new Promise((ended) => {
      child.on("exit", ended);
      child.kill();
    });
    rmSync(logdir, { recursive: true });
  };
  return { address, stop };
}

/** Runs in every frame: notes when a large canvas first shows coloured bars, and how long frames take. */
function watch() {
  const SIDE = 64;
  window.bench = { picture: 0, intervals: [], work: [] };
  const scratch = new OffscreenCanvas(SIDE, SIDE).getContext("2d", {
    willReadFrequently: true,
  });
  scratch.imageSmoothingEnabled = false; // which would read every pixel
  const coloured = (canvas) => {
    scratch.clearRect(0, 0, SIDE, SIDE);
    scratch.drawImage(canvas, 0, 0, SIDE, SIDE);
    const { data } = scratch.getImageData(0, 0, SIDE, SIDE);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      const most = Math.max(data[i], data[i + 1], data[i + 2]);
      const least = Math.min(data[i], data[i + 1], data[i + 2]);
      if (data[i + 3] > 40 && most - least > 25) count++;
    }
    return count > SIDE;
  };
  // The first viewer of xprof replaces the methods of nodes by ones that see less.
  const { querySelectorAll } = Document.prototype;
  const within = DocumentFragment.prototype.querySelectorAll;
  const canvases = (node, all) => [
    ...all.call(node, "canvas"),
    ...[...all.call(node, "*")].flatMap((each) => (each.shadowRoot ? canvases(each.shadowRoot, within) : [])),
  ];
  const look = () => {
    if (window.bench.picture) return;
    // Their own sizes: asking for those on the page would make it compute its layout.
    const large = canvases(document, querySelectorAll).filter((canvas) => canvas.width > 400 && canvas.height > 150);
    if (!large.some(coloured)) return;
    window.bench.picture = Date.now();
    void window.notePicture(window.bench.picture);
  };
  const again = setInterval(() => (window.bench.picture ? clearInterval(again) : look()), 20);
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) =>
    request((now) => {
      const begin = performance.now();
      callback(now);
      window.bench.work.push(performance.now() - begin);
      look(); // what WebGPU has drawn can be read only now
    });
  window.bench.record = () => {
    window.bench.work.length = 0;
    let last = 0;
    const tick = (now) => {
      if (last) window.bench.intervals.push(now - last);
      last = now;
      request(tick);
    };
    request(tick);
  };
}

/** What a browser that was just started does by itself is over by then. */
const SETTLED_MS = 1500;

async function firstPicture(page, url) {
  let shell = 0;
  // Told by the page: asking it again and again would keep it from its work.
  const drawn = new Promise((found) => page.exposeBinding("notePicture", ({ frame }, at) => found({ frame, at })));
  const late = new Promise((_, failed) => setTimeout(failed, 180_000, new Error(`no picture of ${url}`)).unref());
  await page.waitForTimeout(SETTLED_MS);
  const begin = Date.now();
  page.on("request", (request) => {
    if (request.url().includes("/plugin_entry.html")) shell = (Date.now() - begin) / 1000;
  });
  await page.goto(url);
  const { frame, at } = await Promise.race([drawn, late]);
  return { seconds: (at - begin) / 1000, shell, frame };
}

/** Below the tracks, where a click gives the page the keys. */
const EMPTY = [900, 850];

/** Keys are held for a second each: closer, right, closer, left, out, so that the minute ends where it began. */
async function panAndZoom(page, frame, seconds) {
  await page.mouse.click(...EMPTY);
  await page.mouse.move(900, 500);
  await frame.evaluate(() => window.bench.record());
  const keys = "wdwawdsasdwdaswadss";
  for (let second = 0; second < seconds; second++) {
    const key = keys[second % keys.length];
    await page.keyboard.down(key);
    await page.waitForTimeout(850);
    await page.keyboard.up(key);
    await page.waitForTimeout(150);
  }
  return frame.evaluate(() => ({
    intervals: window.bench.intervals,
    work: window.bench.work,
  }));
}

async function heap(page) {
  const client = await page.context().newCDPSession(page);
  await client.send("HeapProfiler.collectGarbage");
  const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await client.send("Runtime.getHeapUsage");
  return usedSize + embedderHeapUsedSize + backingStorageSize;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const share = (values, part) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];
const ms = (values) => [0.5, 0.95, 1].map((part) => `${share(values, part).toFixed(1)}`).join(" / ");

async function measure(program, profile, seconds) {
  const server = await serve(program, profile);
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({
    executablePath,
    args: program.browser,
  });
  try {
    const open = async () => {
      const page = await browser.newPage({
        viewport: { width: 1600, height: 1000 },
      });
      await page.addInitScript(watch);
      if (program.before) await page.addInitScript(program.before);
      return {
        page,
        ...(await firstPicture(page, server.address + program.path)),
      };
    };
    const cold = await open();
    await cold.page.close();
    const warm = await open();
    const frames = seconds ? await panAndZoom(warm.page, warm.frame, seconds) : null;
    return {
      cold: cold.seconds,
      warm: warm.seconds,
      shell: warm.shell,
      frames,
      heap: await heap(warm.page),
    };
  } finally {
    await browser.close();
    await server.stop();
  }
}

const profile = scaled(options.source, options.events);
const programs = options.peer ? [OURS, ...others()] : [OURS];
const runs = new Map(programs.map((program) => [program, []]));
for (let run = 0; run < Number(options.runs); run++)
  for (const program of programs)
    runs.get(program).push(await measure(program, profile, run === 0 ? Number(options.seconds) : 0));

const seconds = (measured, kind) => `${median(measured.map((run) => run[kind])).toFixed(2)} s`;
console.log(`${Number(options.events).toLocaleString("en")} events\n`);
console.log(
  "| page | first picture, cold | warm | of which TensorBoard | heap | frame, p50 / p95 / worst | script in a frame |",
);
console.log("|---|---:|---:|---:|---:|---:|---:|");
for (const [program, measured] of runs) {
  const { intervals, work } = measured[0].frames ?? {
    intervals: [NaN],
    work: [NaN],
  };
  const size = `${Math.round(Math.max(...measured.map((run) => run.heap)) / 1e6)} MB`;
  const shell = measured[0].shell ? seconds(measured, "shell") : "–";
  const columns = [
    program.name,
    seconds(measured, "cold"),
    seconds(measured, "warm"),
    shell,
    size,
    `${ms(intervals)} ms`,
  ];
  console.log(`| ${[...columns, `${ms(work)} ms`].join(" | ")} |`);
}
