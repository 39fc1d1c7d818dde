/** The arrangement of a graph, made by a worker; null while it is being made. */
import { useEffect, useState } from "preact/hooks";
import type { Arranged, ToArrange } from "./arrange";
import type { Graph } from "./model";

export interface Drawing {
  graph: Graph;
  arranged: Arranged;
}

export type Drawn = { state: "working" } | { state: "ready"; drawing: Drawing } | { state: "failed" };

export function useArranged(graph: Graph, width: number, height: number): Drawn {
  const [drawn, setDrawn] = useState<Drawn>({ state: "working" });
  useEffect(() => {
    const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
    const nodes = graph.nodes.map(({ name, inside, open }) => ({ name, inside, open }));
    const edges = graph.edges.map(({ source, target }) => ({ source, target }));
    worker.onmessage = ({ data }: MessageEvent<Arranged>) =>
      setDrawn({ state: "ready", drawing: { graph, arranged: data } });
    worker.onerror = () => setDrawn({ state: "failed" });
    worker.postMessage({ nodes, edges, width, height } satisfies ToArrange);
    return () => worker.terminate();
  }, [graph, width, height]);
  return drawn;
}
