/**
 * `holdfast/testing`: tests an application without a browser.
 * @module
 */
/** Runs an application in this process from its sources: a request in, a document or page data out. */
export {
  openTestApp,
  type TestAnswer,
  type TestApp,
  type TestAppOptions,
  type TestFailure,
  type TestPageData,
} from "#cli/testing";
