import type { Clock } from "./clock.ts";
import type { SharedState } from "./shared/shared-state.ts";
import { LazyReader } from "./stores/lazy-reader.ts";
import { openStoreReader } from "./stores/open-store.ts";
import type { StoreAddress } from "./stores/store-address.ts";
import type { FilingThread } from "./thread/filing-thread.ts";
import { mayUpload } from "./tokens/token-grant.ts";
import type { UploadChunks } from "./uploads/bundles/upload-chunks.ts";
import { createUploadHandler, type HandleUpload } from "./uploads/handle-upload-request.ts";
import { uploadLimitsOf } from "./uploads/limits.ts";
import type { UploadStore } from "./uploads/upload-deps.ts";

interface OpenUploadsDeps {
  readonly at: StoreAddress;
  readonly shared: SharedState;
  readonly thread: FilingThread;
  readonly clock: Clock;
}

export interface OpenedUploads {
  readonly handle: HandleUpload;
  close(): Promise<void>;
}

/** Connects uploads to the store and to what all processes share. */
export function openUploads({ at, shared, thread, clock }: OpenUploadsDeps): OpenedUploads {
  const limits = uploadLimitsOf(process.env);
  let chunks: UploadChunks | undefined;
  const reader = new LazyReader(() => openStoreReader(at));
  const handle = createUploadHandler({
    projects: shared.projects,
    limits,
    deploys: shared.deploys,
    now: () => clock.now(),
    chunks: () => {
      chunks ??= shared.openUploads(limits);
      return chunks;
    },
    store: uploadStoreOf(thread),
    reader: () => reader.get(),
    admit: async (token, address) => {
      const admission = await shared.tokens.admit(token, address);
      if (admission.kind !== "granted") return admission;
      return { kind: "granted", mayUpload: (project) => mayUpload(admission.grant, project) };
    },
  });
  return { handle, close: () => reader.close() };
}

/** Uploads are written by the thread that files, because a store has one writer. */
function uploadStoreOf(thread: FilingThread): UploadStore {
  return {
    missingMaps: async (build, debugIds) => {
      const places = await thread.request({ kind: "renew-maps", ...build, debugIds });
      return places.flatMap((place) => debugIds[place] ?? []);
    },
    addMaps: async (build, maps) => void (await thread.request({ kind: "add-maps", ...build, maps })),
    addCommits: async (project, release, commits) =>
      void (await thread.request({ kind: "add-commits", project, release, commits })),
  };
}
