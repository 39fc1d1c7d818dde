import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import type { Progress } from "./tools/view";
import { ApiError, askAhead, copyOf, getBytes, getJson, isAbort } from "./api";

let server: Server | undefined;

afterEach(() => server?.close());

/** A server that answers as given; its address. */
async function serve(answer: RequestListener): Promise<string> {
  const made = createServer(answer);
  server = made;
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}/data`;
}

it("asks again while the server reports progress", async () => {
  const answers = [
    { status: 202, body: { progress: { stage: "decoding", fraction: 0.38 } } },
    { status: 202, body: { progress: { stage: "grouping", fraction: null } } },
    { status: 200, body: { tool: "overview_page" } },
  ];
  const asked: string[] = [];
  const address = await serve((request, response) => {
    asked.push(request.url ?? "");
    const next = answers[asked.length - 1];
    response.writeHead(next?.status ?? 500).end(JSON.stringify(next?.body));
  });
  const seen: unknown[] = [];
  const result = await getJson(
    address,
    { run: "a/b", tag: "x y" },
    { onProgress: (progress) => seen.push(progress) },
  );
  expect(result).toEqual({ tool: "overview_page" });
  expect(seen).toEqual([
    { stage: "decoding", fraction: 0.38 },
    { stage: "grouping", fraction: null },
  ]);
  expect(asked).toEqual(Array(3).fill("/data?run=a%2Fb&tag=x+y&wait=0.5"));
});

it("hands on cause and remedy of an error", async () => {
  const address = await serve((_, response) => {
    response
      .writeHead(404)
      .end(JSON.stringify({ error: { cause: "No such host.", remedy: "Choose another." } }));
  });
  await expect(getJson(address, {})).rejects.toMatchObject({
    cause: "No such host.",
    remedy: "Choose another.",
    status: 404,
  });
});

it("says what is wrong with an answer that is no JSON", async () => {
  const address = await serve((_, response) => response.end("<html>"));
  await expect(getJson(address, {})).rejects.toBeInstanceOf(ApiError);
});

it("says that the server is gone", async () => {
  const address = await serve((_, response) => response.end());
  server?.close();
  await expect(getJson(address, {})).rejects.toMatchObject({
    status: 0,
    cause: "The server does not answer.",
  });
});

it("hands out bytes", async () => {
  const address = await serve((_, response) => response.end(Buffer.from([1, 2, 3])));
  expect(new Uint8Array(await getBytes(address, {}))).toEqual(Uint8Array.of(1, 2, 3));
});

it("stops when cancelled", async () => {
  const address = await serve((_, response) =>
    response.writeHead(202).end(JSON.stringify({ progress: { stage: "decoding" } })),
  );
  const controller = new AbortController();
  const asking = getJson(address, {}, { signal: controller.signal, onProgress: () => controller.abort() });
  await expect(asking).rejects.toSatisfy(isAbort);
});

it("takes the answer to what was asked ahead, once", async () => {
  let asked = 0;
  const address = await serve((_, response) => response.end(JSON.stringify(++asked)));
  const sent = askAhead(address, { run: "a" });
  expect(await copyOf(sent)).toBe(1);
  expect(await getJson(address, { run: "a" })).toBe(1);
  expect(await getJson(address, { run: "a" })).toBe(2);
});

it("takes what was asked ahead in fewer words", async () => {
  const asked: string[] = [];
  const address = await serve((request, response) => {
    asked.push(request.url ?? "");
    response.end(JSON.stringify(asked.length));
  });
  void askAhead(address, { run: "a" });
  void askAhead(address, { run: "a", host: "b" }, { sooner: { run: "a" } });
  expect(await getJson(address, { run: "a", host: "b" })).toBe(1);
  void askAhead(address, { run: "c", host: "b" }, { sooner: { run: "c" } });
  expect(await getJson(address, { run: "c", host: "b" })).toBe(2);
  expect(asked.map((url) => url.replace(/.*\?|&wait.*/g, ""))).toEqual(["run=a", "run=c&host=b"]);
});

it("asks ahead until the answer is there, or hands on progress at once", async () => {
  let asked = 0;
  const address = await serve((_, response) => {
    const ready = ++asked > 2;
    response.writeHead(ready ? 200 : 202).end(JSON.stringify(ready ? "ready" : { progress: {} }));
  });
  const answer = askAhead(address, { run: "a" });
  expect(await copyOf(answer)).toBe("ready");
  expect(await getJson(address, { run: "a" })).toBe("ready");
  expect(asked).toBe(3);
  asked = 1;
  const stages: string[] = [];
  void askAhead(address, { run: "b" }, { progress: true });
  const onProgress = ({ stage }: Progress): void => void stages.push(stage);
  expect(await getJson(address, { run: "b" }, { onProgress })).toBe("ready");
  expect(stages).toEqual(["working"]);
});
