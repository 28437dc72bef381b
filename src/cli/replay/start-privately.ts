import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type StartOptions, startApplication } from "#host";

export interface PrivateServer extends AsyncDisposable {
  readonly url: string;
  readonly release: string | undefined;
  /** Has what it reports. Deleted at its end. */
  readonly dataFolder: string;
}

/**
 * Serves a built application on a free port that only this machine reaches. Nothing that it reports reaches the service
 * of the application.
 */
export async function startPrivately(
  root: string,
  options: Pick<StartOptions, "onError"> = {},
): Promise<PrivateServer> {
  const dataFolder = await mkdtemp(path.join(tmpdir(), "holdfast-private-"));
  const remove = (): Promise<void> => rm(dataFolder, { recursive: true, force: true });
  const at = { port: 0, nextFreePort: false, host: "127.0.0.1" };
  const server = await startApplication({ root, ...at, dataFolder, isPrivate: true, ...options }).catch(
    async (error: unknown) => {
      await remove();
      throw error;
    },
  );
  const { url, release } = server;
  return {
    url,
    release,
    dataFolder,
    async [Symbol.asyncDispose]() {
      await server.stop();
      await remove();
    },
  };
}
