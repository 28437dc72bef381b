import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../../scripts/root.js";

interface Message {
  id?: number;
  method?: string;
  params?: { items?: readonly unknown[] };
  result?: unknown;
}

/** The compiler as an editor talks to it: the language server protocol, with one file open. */
export async function openEditor(folder: string, file: string): Promise<Editor> {
  const editor = new Editor(folder, pathToFileURL(file).href, await readFile(file, "utf8"));
  await editor.open();
  return editor;
}

export class Editor {
  readonly #server;
  readonly #folder: string;
  readonly #uri: string;
  readonly #text: string;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #received = Buffer.alloc(0);
  #lastId = 0;
  #version = 1;

  constructor(folder: string, uri: string, text: string) {
    this.#folder = folder;
    this.#uri = uri;
    this.#text = text;
    const tsc = resolve(root, "node_modules/.bin/tsc");
    this.#server = spawn(tsc, ["--lsp", "--stdio"], { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
    this.#server.stdout.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      for (let message = this.#next(); message; message = this.#next()) this.#read(message);
    });
  }

  async open(): Promise<void> {
    const rootUri = pathToFileURL(this.#folder).href;
    await this.#ask("initialize", { processId: process.pid, rootUri, capabilities: {} });
    this.#write({ method: "initialized", params: {} });
    const textDocument = { uri: this.#uri, languageId: "typescriptreact", version: this.#version, text: this.#text };
    this.#write({ method: "textDocument/didOpen", params: { textDocument } });
  }

  /** Empties the text between these two, as if it had just been deleted, and asks for suggestions there. */
  async complete(before: string, after: string): Promise<{ seconds: number; labels: string[] }> {
    const start = this.#text.indexOf(before) + before.length;
    const lines = this.#text.slice(0, start).split("\n");
    const text = this.#text.slice(0, start) + this.#text.slice(this.#text.indexOf(after, start));
    const textDocument = { uri: this.#uri, version: ++this.#version };
    // A comment that differs, because a file that is as before needs no work.
    const contentChanges = [{ text: `${text}// ${this.#version}\n` }];
    const since = performance.now();
    this.#write({ method: "textDocument/didChange", params: { textDocument, contentChanges } });
    const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
    const result = await this.#ask("textDocument/completion", { textDocument: { uri: this.#uri }, position });
    const seconds = (performance.now() - since) / 1_000;
    const items = (Array.isArray(result) ? result : Object(result).items) as readonly { label: string }[] | undefined;
    return { seconds, labels: (items ?? []).map(({ label }) => label).sort() };
  }

  close(): void {
    this.#server.kill();
  }

  #ask(method: string, params: object): Promise<unknown> {
    const id = ++this.#lastId;
    this.#write({ id, method, params });
    return new Promise((answer) => this.#waiting.set(id, answer));
  }

  #write(message: object): void {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.#server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  #next(): Message | undefined {
    const head = this.#received.indexOf("\r\n\r\n");
    if (head < 0) return undefined;
    const length = Number(/Content-Length: (\d+)/i.exec(this.#received.subarray(0, head).toString())?.[1]);
    const end = head + 4 + length;
    if (this.#received.length < end) return undefined;
    const message = JSON.parse(this.#received.subarray(head + 4, end).toString()) as Message;
    this.#received = this.#received.subarray(end);
    return message;
  }

  #read({ id, method, params, result }: Message): void {
    if (id === undefined) return;
    // A question of the server, such as for settings. It waits for the answer: one for each item.
    if (method !== undefined) this.#write({ id, result: params?.items?.map(() => null) ?? null });
    else this.#waiting.get(id)?.(result);
  }
}
