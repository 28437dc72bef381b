import type { Clock } from "./clock.ts";
import type { SharedState } from "./shared/shared-state.ts";
import type { FilingThread } from "./thread/filing-thread.ts";
import type { UploadChunks } from "./uploads/bundles/upload-chunks.ts";
import { createUploadHandler, type HandleUpload } from "./uploads/handle-upload-request.ts";
import { uploadLimitsOf } from "./uploads/limits.ts";
import type { UploadStore } from "./uploads/upload-deps.ts";

interface OpenUploadsDeps {
  readonly shared: SharedState;
  readonly thread: FilingThread;
  readonly clock: Clock;
}

/** Connects uploads to the store and to what all processes share. */
export function openUploads({ shared, thread, clock }: OpenUploadsDeps): HandleUpload {
  const limits = uploadLimitsOf(process.env);
  let chunks: UploadChunks | undefined;
  return createUploadHandler({
    projects: shared.projects,
    limits,
    deploys: shared.deploys,
    now: () => clock.now(),
    chunks: () => {
      chunks ??= shared.openUploads(limits);
      return chunks;
    },
    store: uploadStoreOf(thread),
  });
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
