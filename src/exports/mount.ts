/**
 * `holdfast/mount`: an application inside of a server of your own, such as Express or Fastify.
 * @module
 */

/** Opens a build or the sources of an application, and returns its handlers. */
export {
  type FetchHandler,
  type FetchSender,
  type MountedApplication,
  type Next,
  type OpenApplicationOptions,
  openApplication,
} from "#cli/mounting";
