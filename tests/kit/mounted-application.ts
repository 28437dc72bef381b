import { application } from "./application.ts";

/** An application below `/app` with every kind of answer, for servers that mount it beside pages of their own. */
export function mountedApplication(): string {
  return application({
    "vite.config.ts":
      'import { holdfast } from "holdfast/vite";\nexport default { plugins: [holdfast({ at: "/app", elsewhere: ["/old"] })] };\n',
    "holdfast.config.ts": "export default { limits: { bodyBytes: 200_000 }, report: { sampleRate: 0 } };\n",
    "public/app/logo.txt": "A logo of more than one word.\n",
    "src/pages/index.tsx": `import { Form, Link } from "holdfast";
export default function Home({ data, actions }: PageProps<"/">) {
  return (
    <main>
      <h1>New home</h1>
      <Link to="/orders/[id]" params={{ id: "7" }}>Order 7</Link>
      <Link to="/broken">Broken</Link>
      <a href="/old/orders">Old orders</a>
      <Form action={actions.say}>
        {(form) => <><label>Word <input {...form.field("word")} /></label><button>Say</button></>}
      </Form>
      <p id="said">{data.said}</p>
    </main>
  );
}
`,
    "src/pages/index.server.ts": `import { action, load } from "holdfast/server";
let said = "nothing";
export const data = load("/", () => ({ said }));
export const actions = {
  say: action({ route: "/" }, ({ input }) => {
    said = String((input as FormData).get("word"));
    return { said };
  }),
};
`,
    "src/pages/orders/[id].tsx": `import { Link } from "holdfast";
export default function Order({ data }: PageProps<"/orders/[id]">) {
  return <main><h1>Order {data.id}</h1><p>{"Many words. ".repeat(400)}</p><Link to="/">Home</Link></main>;
}
`,
    "src/pages/orders/[id].server.ts": `import { type Guard, load, notFound } from "holdfast/server";
export const guard: Guard = ({ cookies, url }) => {
  if (url.search !== "") cookies.set("seen", "this");
};
export const data = load("/orders/[id]", ({ params }) => (params.id === "8" ? notFound() : { id: params.id }));
`,
    "src/pages/broken.tsx": "export default () => <h1>Never</h1>;\n",
    "src/pages/broken.server.ts": `import { load } from "holdfast/server";
export const data = load("/broken", (): { never: true } => { throw new Error("The stock cannot be read."); });
`,
    "src/pages/api/echo.server.ts": `export const POST = (request: Request): Response => new Response(request.body);
export const PUT = async (request: Request): Promise<Response> => Response.json({ bytes: (await request.bytes()).length });
export const DELETE = (): Response => new Response(null, { status: 204 });
`,
    "src/pages/api/leaving.server.ts": `import { after } from "holdfast/server";
const noted = (text: string): void => void ((globalThis as { noted?: string[] }).noted ??= []).push(text);
export const GET = async (request: Request): Promise<Response> => {
  noted("came");
  await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
  noted("left");
  return new Response("nobody reads this");
};
export const POST = (): Response => {
  after(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    noted("after");
  });
  return new Response("done");
};
`,
    "src/pages/api/news.server.ts": `import { events } from "holdfast/server";
export const GET = (): Response =>
  events(async function* ({ signal }) {
    yield { data: "first" };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
`,
    "src/pages/api/talk.server.ts": `import { onSocket } from "holdfast/server";
export const socket = onSocket({}, async ({ messages, send }) => {
  for await (const message of messages) send({ heard: message });
});
`,
    "src/lifecycle.server.ts": `import type { LifecycleHook } from "holdfast/server";
const noted = (text: string): void => void ((globalThis as { noted?: string[] }).noted ??= []).push(text);
export const onStart: LifecycleHook = () => noted("start");
export const onStop: LifecycleHook = () => noted("stop");
`,
    // The server of the old application, as its author would write it.
    "server.js": `import compression from "compression";
import express from "express";
import { openApplication } from "holdfast/mount";
import { captureError } from "holdfast/report";

const holdfast = await openApplication({ folder: import.meta.dirname });
const app = express();
app.use(compression());
app.use(holdfast.handler);
app.use(express.urlencoded());
app.get("/healthz", (_request, response) => response.sendStatus(holdfast.isReady() ? 200 : 503));
app.get("/readyz", (_request, response) => response.sendStatus(holdfast.isReady() ? 200 : 503));
app.get("/", (_request, response) => response.redirect("/old/orders"));
app.get("/favicon.ico", (_request, response) => response.sendStatus(204));
app.get("/old/orders", (_request, response) => response.send('<h1>Old orders</h1><a href="/app/orders/7">Order 7, new</a>'));
app.get("/old/broken", () => { throw new Error("An error of the old pages."); });
app.get("/console-link", async (request, response) => response.send(await holdfast.consoleUrl("http://" + request.headers.host)));
app.use((error, _request, response, _next) => response.status(500).send("Digest: " + captureError(error)));
const server = app.listen(Number(process.env.PORT), "127.0.0.1", () => console.log("listening"));
server.on("upgrade", holdfast.upgrade);
process.on("SIGTERM", async () => {
  server.close();
  await holdfast.close();
  process.exit(0);
});
`,
  });
}
