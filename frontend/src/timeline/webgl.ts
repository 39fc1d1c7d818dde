/**
 * Draws with a graphics card, pixel for pixel what `raster.ts` says. Tiles are uploaded once; a frame is a few calls for each
 * lane on screen:
 *
 *   colour    of what covers most of a pixel: the depth test keeps the greatest part; alpha starts at the faintest
 *   cover     adds to alpha what each event covers
 *   edge      darkens the last pixel of wide events
 */
import { Held } from "./held";
import { APART, EDGED, FAINTEST, type Picture, type Renderer, type Shade } from "./renderer";
import { WHOLE, type Tile } from "./tiles";

/** What marks an exact event among the shares of blocks. */
const EVENT = 2;
const TEXTURE = 1024;

const [COLOUR, COVER, EDGE] = [0, 1, 2];

const VERTEX = `#version 300 es
layout(location = 0) in vec3 span; // start and end in columns of the tile, share covered
layout(location = 1) in uint place;
uniform float zero, column, left, right, top, high;
uniform vec2 size;
uniform highp int kind;
uniform uint places;
uniform highp sampler2D palette;
uniform vec4 unnamed;
flat out vec4 pixel;
flat out vec3 covered;
void main() {
  float start = zero + span.x * column;
  float end = zero + span.y * column;
  float low = max(start, left);
  float high_ = min(end, right);
  bool shown = start < right && end > left;
  float from = floor(low);
  float to = ceil(high_);
  if (kind == ${EDGE}) {
    shown = shown && span.z > 1.5 && end - start >= ${EDGED.toFixed(1)} && end <= right;
    from = to - 1.0;
  }
  covered = vec3(low, high_, min(span.z, 1.0));
  pixel = place < places ? texelFetch(palette, ivec2(place % ${TEXTURE}u, place / ${TEXTURE}u), 0) : unnamed;
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec2 at = vec2(mix(from, to, corner.x), top + corner.y * high);
  gl_Position = shown ? vec4(at.x / size.x * 2.0 - 1.0, 1.0 - at.y / size.y * 2.0, 0.0, 1.0) : vec4(2.0, 2.0, 0.0, 1.0);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
uniform highp int kind;
flat in vec4 pixel;
flat in vec3 covered;
out vec4 colour;
void main() {
  float x = floor(gl_FragCoord.x);
  float part = (min(covered.y, x + 1.0) - max(covered.x, x)) * covered.z;
  colour = vec4(pixel.rgb, pixel.a * (kind == ${COLOUR} ? ${FAINTEST} : part * ${(1 - FAINTEST).toFixed(3)}));
  gl_FragDepth = clamp(0.999 - 0.99 * part, 0.0, 1.0);
}`;

interface Upload {
  spans: WebGLBuffer;
  places: WebGLBuffer;
  shade: Shade | null;
}

export class WebGl implements Renderer {
  readonly name = "WebGL 2";
  private readonly program: WebGLProgram;
  private readonly uniforms = new Map<string, WebGLUniformLocation | null>();
  private readonly uploads: Held<Upload>;
  private palette: Uint32Array | null = null;

  constructor(
    field: HTMLElement,
    private readonly gl: WebGL2RenderingContext,
    private readonly onLost: () => void,
  ) {
    this.program = built(gl);
    this.uploads = new Held(
      (tile) => uploaded(gl, tile),
      ({ spans, places }) => {
        gl.deleteBuffer(spans);
        gl.deleteBuffer(places);
      },
    );
    const canvas = gl.canvas as HTMLCanvasElement;
    canvas.addEventListener("webglcontextlost", onLost);
    field.prepend(canvas);
    gl.useProgram(this.program);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.enableVertexAttribArray(0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribDivisor(0, 1);
    gl.vertexAttribDivisor(1, 1);
    gl.blendColor(0.75, 0.75, 0.75, 1);
  }

  dispose(): void {
    const canvas = this.gl.canvas as HTMLCanvasElement;
    canvas.removeEventListener("webglcontextlost", this.onLost);
    canvas.remove();
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  draw(picture: Picture): void {
    const { gl } = this;
    const { width, height, tracks } = picture;
    if (gl.canvas.width !== width || gl.canvas.height !== height)
      [gl.canvas.width, gl.canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.colorMask(true, true, true, true);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniform2f(this.at("size"), width, height);
    this.usePalette(picture);
    for (const kind of [COLOUR, COVER, EDGE]) {
      this.prepare(kind as number);
      for (const { y, laneHeight, lanes } of tracks) {
        gl.uniform1f(this.at("high"), laneHeight < APART ? laneHeight : laneHeight - 1);
        for (const [lane, slices] of lanes.entries()) {
          gl.uniform1f(this.at("top"), y + lane * laneHeight);
          for (const slice of slices) this.drawSlice(picture, slice);
        }
      }
    }
    this.uploads.forget();
  }

  private drawSlice(picture: Picture, { tile, strip, from, to }: Picture["tracks"][0]["lanes"][0][0]): void {
    const { gl } = this;
    const { start, scale, width } = picture;
    const left = Math.max((from - start) / scale, 0);
    const right = Math.min((to - start) / scale, width);
    const first = strip.eventFrom + strip.blockFrom;
    const count = strip.eventTo + strip.blockTo - first;
    if (right <= left || count === 0) return;
    const { spans, places } = this.upload(tile, picture.shade(tile));
    gl.uniform1f(this.at("left"), left);
    gl.uniform1f(this.at("right"), right);
    gl.uniform1f(this.at("zero"), (tile.start - start) / scale);
    gl.uniform1f(this.at("column"), tile.bin / scale);
    gl.bindBuffer(gl.ARRAY_BUFFER, spans);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 12, first * 12);
    gl.bindBuffer(gl.ARRAY_BUFFER, places);
    gl.vertexAttribIPointer(1, 1, gl.UNSIGNED_INT, 4, first * 4);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
  }

  private prepare(kind: number): void {
    const { gl } = this;
    gl.uniform1i(this.at("kind"), kind);
    gl.colorMask(kind !== COVER, kind !== COVER, kind !== COVER, kind !== EDGE);
    if (kind === COLOUR) {
      gl.disable(gl.BLEND);
      gl.enable(gl.DEPTH_TEST);
      gl.depthFunc(gl.LESS);
    } else {
      gl.enable(gl.BLEND);
      gl.disable(gl.DEPTH_TEST);
      if (kind === COVER) gl.blendFunc(gl.ONE, gl.ONE);
      else gl.blendFunc(gl.ZERO, gl.CONSTANT_COLOR);
    }
  }

  private usePalette({ palette, unnamed }: Picture): void {
    const { gl } = this;
    const bytes = new Uint8Array(Uint32Array.of(unnamed).buffer);
    gl.uniform4f(
      this.at("unnamed"),
      ...(Array.from(bytes, (byte) => byte / 255) as [number, number, number, number]),
    );
    gl.uniform1ui(this.at("places"), palette.length);
    if (palette === this.palette) return;
    this.palette = palette;
    const rows = Math.max(Math.ceil(palette.length / TEXTURE), 1);
    const padded = new Uint32Array(rows * TEXTURE);
    padded.set(palette);
    const pixels = new Uint8Array(padded.buffer);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, TEXTURE, rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  }

  private upload(tile: Tile, shade: Shade): Upload {
    const { gl } = this;
    const known = this.uploads.of(tile);
    if (known.shade !== shade) {
      known.shade = shade;
      gl.bindBuffer(gl.ARRAY_BUFFER, known.places);
      gl.bufferData(gl.ARRAY_BUFFER, placesOf(tile, shade), gl.STATIC_DRAW);
    }
    return known;
  }

  private at(name: string): WebGLUniformLocation | null {
    let found = this.uniforms.get(name);
    if (found === undefined)
      this.uniforms.set(name, (found = this.gl.getUniformLocation(this.program, name)));
    return found;
  }
}

function uploaded(gl: WebGL2RenderingContext, tile: Tile): Upload {
  const spans = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, spans);
  gl.bufferData(gl.ARRAY_BUFFER, spansOf(tile), gl.STATIC_DRAW);
  return { spans, places: gl.createBuffer(), shade: null };
}

/** Events, then blocks, of one lane after the other: start, end (columns of the tile), share covered. */
export function spansOf(tile: Tile): Float32Array {
  const out = new Float32Array(3 * (tile.eventStart.length + tile.blockColumn.length));
  let at = 0;
  const put = (start: number, end: number, share: number): void => {
    out[at++] = start;
    out[at++] = end;
    out[at++] = share;
  };
  for (const strip of [...tile.tracks.values()].flat()) {
    at = 3 * (strip.eventFrom + strip.blockFrom);
    for (let i = strip.eventFrom; i < strip.eventTo; i++)
      put((tile.eventStart[i] as number) / tile.bin, (tile.eventEnd[i] as number) / tile.bin, EVENT);
    for (let i = strip.blockFrom; i < strip.blockTo; i++) {
      const column = tile.blockColumn[i] as number;
      put(column, column + 1, (tile.blockBusy[i] as number) / WHOLE);
    }
  }
  return out;
}

function placesOf(tile: Tile, shade: Shade): Uint32Array {
  const out = new Uint32Array(tile.eventStart.length + tile.blockColumn.length);
  for (const { eventFrom, eventTo, blockFrom, blockTo } of [...tile.tracks.values()].flat()) {
    out.set(shade.events.subarray(eventFrom, eventTo), eventFrom + blockFrom);
    out.set(shade.blocks.subarray(blockFrom, blockTo), eventTo + blockFrom);
  }
  return out;
}

function built(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(type) as WebGLShader;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
    throw new Error(`The drawing program does not compile: ${gl.getProgramInfoLog(program)}`);
  return program;
}
