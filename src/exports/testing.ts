// biome-ignore-all assist/source/organizeImports: one block per group, each with its own comment.
/**
 * `holdfast/testing`: tests an application without a browser, or a page without its server.
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

/** Shows a page or a part of it without its server: as HTML, in a document, in Testing Library or in Storybook. */
export {
  type ActionStub,
  type ActionStubs,
  type LayoutStub,
  type LoadStub,
  type PageStubs,
  type RecordedNavigation,
  type RecordedSubmission,
  type RenderedPage,
  renderPage,
  type StubbedProps,
  type StubOutcome,
} from "#pages/testing";
