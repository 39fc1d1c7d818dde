/** Builds `index.js`, which exports `render()`, and its lazily loaded chunks under `static/`. */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const OUTPUT = "../profiler_plugin/web/static";
const HASHED = "static/[name]-[hash].js";

const LAZY = /src.(charts.Chart\.tsx|timeline|graph|tools.[a-z]\w*\.tsx)/;

/** What every view needs is in the entry: a request costs TensorBoard's server 5 to 8 ms, and a wait until it is there. */
const SHARED = {
  name: "index",
  test: (id: string) => /preact|frontend.src|rolldown/.test(id) && !LAZY.test(id),
};

/** Compressed siblings of the built files, so that the server never compresses them per request. */
function gzipSiblings(): Plugin {
  return {
    name: "gzip-siblings",
    apply: "build",
    closeBundle() {
      for (const entry of readdirSync(OUTPUT, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(js|css|html|svg)$/.test(entry.name)) continue;
        const path = join(entry.parentPath, entry.name);
        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [gzipSiblings()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  worker: { format: "es", rolldownOptions: { output: { entryFileNames: HASHED, chunkFileNames: HASHED } } },
  build: {
    target: "es2022",
    outDir: OUTPUT,
    emptyOutDir: true,
    assetsDir: "static",
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      input: "src/main.tsx",
      preserveEntrySignatures: "allow-extension",
      output: { entryFileNames: "index.js", chunkFileNames: HASHED, codeSplitting: { groups: [SHARED] } },
    },
  },
  test: { include: ["src/**/*.test.ts"], environment: "node" },
});
