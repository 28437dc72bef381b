import { deserialize, serialize } from "node:v8";
import { EncodedBody, type EncodedForms } from "#http";
import { type DiskRegion, DiskRing } from "./disk-ring.ts";
import { pageBytes, type SharedPage } from "./shared-page.ts";

export interface SpilledPagesDeps {
  folder: string;
  /** On disk. */
  bytes: number;
  /** Pages that are being written are still in memory. Those beyond this are not written. */
  writingBytes: number;
  now: () => number;
  warn: ((sentence: string) => void) | undefined;
}

/** A page that left the memory. */
export interface SpilledPage {
  /** Undefined if the disk has not taken it. */
  readonly region: Promise<DiskRegion | undefined>;
}

/** After a failure the disk gets this long: a full one is not asked for each page. */
const pauseMs = 60_000;

/** The pages for which the memory of a cache has no room, in one file of bounded size. */
export class SpilledPages {
  readonly #deps: SpilledPagesDeps;
  readonly #ring: DiskRing;
  #writing = 0;
  #pausedUntil = 0;

  constructor(deps: SpilledPagesDeps) {
    this.#deps = deps;
    this.#ring = new DiskRing(deps.folder, deps.bytes);
  }

  /** Undefined if it is not written. `onLost` is called when newer pages need its place, or if writing fails. */
  write(page: SharedPage, onLost: () => void): SpilledPage | undefined {
    const length = pageBytes(page);
    const { now, writingBytes, bytes } = this.#deps;
    if (now() < this.#pausedUntil || this.#writing + length > writingBytes || length > bytes) return undefined;
    this.#writing += length;
    const region = this.#ring.write(bytesOf(page), onLost).catch((thrown: unknown) => this.#failed(thrown, onLost));
    void region.then(() => {
      this.#writing -= length;
    });
    return { region };
  }

  /** Undefined if it is lost. */
  async read({ region }: SpilledPage): Promise<SharedPage | undefined> {
    const there = await region;
    if (!there) return undefined;
    try {
      const bytes = await this.#ring.read(there);
      return bytes && pageOf(bytes);
    } catch (thrown) {
      return this.#failed(thrown);
    }
  }

  drop({ region }: SpilledPage): void {
    void region.then((there) => there && this.#ring.drop(there));
  }

  #failed(thrown: unknown, onLost?: () => void): undefined {
    onLost?.();
    const { now, warn } = this.#deps;
    if (now() < this.#pausedUntil) return;
    this.#pausedUntil = now() + pauseMs;
    warn?.(`Cached pages beyond the memory are not stored for a minute, because the disk fails: ${thrown}`);
  }
}

/** What the file has of a page. It is read by the process that wrote it. */
interface PageOnDisk extends Omit<SharedPage, "document" | "data"> {
  document: EncodedForms;
  data: EncodedForms;
}

function bytesOf(page: SharedPage): Buffer {
  const onDisk: PageOnDisk = { ...page, document: page.document.forms(), data: page.data.forms() };
  return serialize(onDisk);
}

function pageOf(bytes: Buffer): SharedPage {
  const onDisk = deserialize(bytes) as PageOnDisk;
  return { ...onDisk, document: EncodedBody.of(onDisk.document), data: EncodedBody.of(onDisk.data) };
}
