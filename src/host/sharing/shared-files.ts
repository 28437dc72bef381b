import type { IncomingMessage } from "node:http";
import { ByteBudget, type Refusals } from "#bounds";
import { chooseEncoding, type Exchange, sendText } from "#http";
import type { LeaveFile } from "#pages";
import type { SharedBrowserFile, SharedBrowserFiles } from "#service";
import { fileHeaders, filePathOf } from "../browser-files.ts";
import { FileCache } from "../file-cache.ts";
import type { HeadersFor } from "../header-rules.ts";
import type { SharingLimits } from "./limits.ts";

/** A file of any build: below `_assets`, with a content hash of at least eight characters in its name. */
const builtName = /\/_assets\/[^/]{0,200}-[\w-]{8,64}\.\w{1,8}$/;

export interface SharedFilesDeps {
  files: SharedBrowserFiles;
  application: string;
  limits: SharingLimits;
  clientOf: (incoming: IncomingMessage) => string;
  /** The headers that the configuration changes. */
  headersFor?: HeadersFor | undefined;
  now: () => number;
  /** Counts requests that are refused because the memory for such files is in use. */
  refusals: Refusals;
}

/**
 * Sends files of builds that other machines have. The list of files is in memory, so that a name that no build has
 * costs nothing; contents are read when a tab asks for them.
 */
export class SharedFiles {
  readonly #deps: SharedFilesDeps;
  readonly #sending: ByteBudget;
  readonly #cache: FileCache;
  /** Files by path for each build, the last started first. */
  #builds = new Map<string, ReadonlyMap<string, SharedBrowserFile>>();
  #refreshing: Promise<void> | undefined;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #isReachable = true;

  constructor(deps: SharedFilesDeps) {
    this.#deps = deps;
    this.#sending = new ByteBudget(deps.limits.sendingBytes, deps.limits.clientBytes);
    this.#cache = new FileCache(deps.limits.cacheBytes);
  }

  /** Whether another build may have this file. Asked about addresses that this machine's build does not have. */
  mayHave({ method, url = "" }: IncomingMessage): boolean {
    return (method === "GET" || method === "HEAD") && builtName.test(filePathOf(url));
  }

  /** Sends the file. Resolves with false, and does nothing, if no build has it. */
  async serve(exchange: Exchange, leave?: LeaveFile): Promise<boolean> {
    const path = filePathOf(exchange.incoming.url ?? "");
    if (this.#find(path) === undefined) await this.#refresh();
    const file = this.#find(path);
    if (file !== undefined) return this.#send(exchange, file, leave);
    if (this.#isReachable) return false;
    sendUnavailable(exchange);
    return true;
  }

  async #send(exchange: Exchange, file: SharedBrowserFile, leave?: LeaveFile): Promise<boolean> {
    const { incoming, response } = exchange;
    const encoding = chooseEncoding(incoming.headers["accept-encoding"], file.encodings);
    const path = filePathOf(incoming.url ?? "");
    const own = fileHeaders({ ...file, path, immutable: true }, this.#deps.headersFor);
    const left = leave ? await leave(exchange, own) : own;
    if (left === "answered") return true;
    const headers = [...left];
    if (encoding) headers.push("Content-Encoding", encoding);
    if (incoming.method === "HEAD") {
      response.writeHead(200, headers).end();
      return true;
    }
    // The client has gone; nothing would give the bytes back.
    if (response.closed) return true;
    const held = this.#sending.hold(this.#deps.clientOf(incoming));
    response.on("close", () => held.release());
    if (!held.take(file.bytes)) {
      this.#deps.refusals.add("shared-files");
      sendUnavailable(exchange);
      return true;
    }
    let content: Uint8Array | undefined;
    try {
      content = await this.#content(file.hash, encoding ?? "identity");
    } catch {
      sendUnavailable(exchange);
      return true;
    }
    if (content === undefined) return false;
    headers.push("Content-Length", String(content.length));
    response.writeHead(200, headers).end(content);
    return true;
  }

  #content(hash: string, encoding: string): Promise<Uint8Array | undefined> {
    const { files, application } = this.#deps;
    return this.#cache.get(`${hash} ${encoding}`, () => files.content({ application, hash, encoding }));
  }

  #find(path: string): SharedBrowserFile | undefined {
    for (const files of this.#builds.values()) {
      const file = files.get(path);
      if (file !== undefined) return file;
    }
    return undefined;
  }

  #refresh(): Promise<void> {
    if (this.#refreshing) return this.#refreshing;
    if (this.#deps.now() - this.#refreshedAt < this.#deps.limits.refreshMs) return Promise.resolve();
    this.#refreshing = this.#read()
      .then(
        () => true,
        () => false,
      )
      .then((isReachable) => {
        this.#isReachable = isReachable;
        this.#refreshedAt = this.#deps.now();
        this.#refreshing = undefined;
      });
    return this.#refreshing;
  }

  /** Reads the files of builds that are not known yet: those of a known build never change. */
  async #read(): Promise<void> {
    const { files, application } = this.#deps;
    const builds = new Map<string, ReadonlyMap<string, SharedBrowserFile>>();
    for (const build of await files.builds(application)) {
      const known = this.#builds.get(build);
      builds.set(build, known ?? byPath(await files.filesOf({ application, build })));
    }
    this.#builds = builds;
  }
}

function byPath(files: readonly SharedBrowserFile[]): ReadonlyMap<string, SharedBrowserFile> {
  return new Map(files.map((file) => [file.path, file]));
}

/** The tab tries it again, and then loads the page in full. */
function sendUnavailable(exchange: Exchange): void {
  exchange.response.setHeader("Retry-After", "2");
  sendText(exchange, 503, "This file is not available at the moment.\n");
}
