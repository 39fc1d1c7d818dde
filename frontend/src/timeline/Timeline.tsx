/** The timeline: toolbar, map, ruler, tracks, and a pane about what is selected. */
import { effect } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { installStyles } from "../styles/install";
import { theme } from "../theme";
import type { ViewProps } from "../tools/view";
import { Empty } from "../widgets/states";
import { Actions } from "./actions";
import { followAddress } from "./address";
import { Engine } from "./engine";
import { scrollToSelected } from "./reveal";
import type { Frame } from "./frame";
import { Headings } from "./Headings";
import { Help } from "./Help";
import type { Commands } from "./commands";
import { followKeys } from "./keys";
import { followPointer } from "./pointer";
import { readModel } from "./model";
import { drawOverlay } from "./overlay";
import { readInk } from "./paint";
import { Pane } from "./Pane";
import { drawMap, drawRuler } from "./ruler";
import { RulerStrip, MapStrip } from "./Strips";
import { openRenderer } from "./backends";
import { Announcer, Status } from "./Status";
import css from "./timeline.css?inline";
import { Toolbar } from "./Toolbar";
import { HoverCard } from "./HoverCard";

installStyles(css);

export function Timeline(props: ViewProps) {
  const { result } = props;
  if ((result.tables["tracks"]?.rows ?? 0) === 0)
    return <Empty title="There is nothing on this timeline" notes={result.notes} />;
  return <Shown {...props} />;
}

function Shown({ result, run, host, params, setParams, addNotes, query }: ViewProps) {
  const { engine, actions } = useMemo(() => {
    const made = new Engine(readModel(result), query, addNotes);
    return { engine: made, actions: new Actions(made, query) };
  }, [result, query, addNotes]);
  const root = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const bars = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const ruler = useRef<HTMLCanvasElement>(null);
  const map = useRef<HTMLCanvasElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const [help, setHelp] = useState(false);
  const wanted = params["renderer"];

  const commands = useMemo<Commands>(
    () => ({
      search: () => root.current?.querySelector<HTMLInputElement>("input[type=search]")?.focus(),
      nextHit: (direction) => void actions.nextHit(direction),
      follow: (link) => void actions.follow(link),
      select: (hit) => actions.select(hit),
      details: () => {
        if (engine.selected.value) root.current?.querySelector<HTMLElement>(".tl-pane")?.focus();
        else actions.select(engine.firstInView());
      },
      toTrack: (direction) => {
        const found = engine.onTrackBeside(direction);
        if (found) actions.select(found);
        else engine.scrollBy((direction * (engine.scroller?.clientHeight ?? 0)) / 2);
        scrollToSelected(engine);
      },
      help: () => setHelp(true),
      escape: () => {
        if (engine.area.value || engine.measured.value) {
          engine.area.value = null;
          engine.measured.value = null;
        } else if (engine.selected.value) actions.clear();
        else void actions.find("", { regex: false, stats: false });
      },
    }),
    [engine, actions],
  );

  // Of the layout, so that the first frame has events where they are there in time.
  useLayoutEffect(() => {
    const [page, field, scrolled] = [root.current, stage.current, scroller.current];
    const [top, above, whole] = [overlay.current, ruler.current, map.current];
    const high = spacer.current;
    if (!page || !field || !scrolled || !high || !bars.current || !top || !above || !whole) return;
    engine.scroller = scrolled;
    const ground = bars.current;
    openRenderer(ground, wanted, (renderer) => {
      ground.dataset["renderer"] = renderer.name;
      engine.renderer?.dispose();
      engine.renderer = renderer;
      engine.invalidate();
    });
    let ink = readInk(page);
    const layer = (frame: Frame): void => {
      drawOverlay(engine, top, ink, frame);
      drawRuler(engine, above, ink, frame);
      drawMap(engine, whole, ink, frame);
    };
    engine.layers.push(layer);
    const measure = (): void => {
      engine.unit.value = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
      engine.camera.resize(field.clientWidth);
      page.style.setProperty("--tl-view", `${scrolled.clientHeight}px`);
      scrollToSelected(engine);
      engine.invalidate();
    };
    measure();
    // Where the drawing can be scrolled to follows the tracks without delay, unlike with `useSignalEffect`.
    const stopHeight = effect(() => {
      high.style.height = `${engine.layout.value.height}px`;
    });
    const size = new ResizeObserver(measure);
    size.observe(field);
    size.observe(scrolled);
    const scroll = (): void => engine.invalidate();
    scrolled.addEventListener("scroll", scroll);
    const stopTheme = theme.subscribe(() => {
      // The style sheet follows the theme in an effect of its own: read the colours after it.
      queueMicrotask(() => {
        ink = readInk(page);
        engine.invalidate();
      });
    });
    const stopPointer = followPointer(engine, field, commands);
    const stopKeys = followKeys(engine, page, commands);
    return () => {
      stopHeight();
      stopPointer();
      stopKeys();
      stopTheme();
      scrolled.removeEventListener("scroll", scroll);
      size.disconnect();
      engine.layers.splice(engine.layers.indexOf(layer), 1);
      engine.renderer?.dispose();
      engine.renderer = null;
    };
  }, [engine, commands, wanted]);

  useEffect(
    () => () => {
      actions.dispose();
      engine.dispose();
    },
    [engine, actions],
  );

  const address = useMemo(() => followAddress(engine, actions), [engine, actions]);
  useLayoutEffect(() => address.read(params), [address, params]);
  useEffect(() => address.write(setParams), [address, setParams]);

  return (
    <div class="tl" ref={root} tabIndex={-1}>
      <Toolbar engine={engine} actions={actions} run={run} host={host} onHelp={() => setHelp(true)} />
      <MapStrip engine={engine} canvas={map} />
      <RulerStrip engine={engine} canvas={ruler} />
      <div class="tl-scroll" ref={scroller} tabIndex={-1}>
        <div ref={spacer} class="tl-spacer">
          <div class="tl-stage">
            <div
              class="tl-field"
              ref={stage}
              tabIndex={0}
              role="application"
              aria-label="Timeline of events. Press question mark for the keys."
              data-mode={engine.mode.value}
            >
              <div ref={bars} />
              <canvas ref={overlay} />
              <HoverCard engine={engine} />
            </div>
            <Headings engine={engine} />
          </div>
        </div>
      </div>
      <Pane engine={engine} actions={actions} run={run} />
      <Status engine={engine} actions={actions} />
      <Announcer engine={engine} />
      {help && <Help onClose={() => setHelp(false)} />}
    </div>
  );
}
