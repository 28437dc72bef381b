export { type RenderedPage, renderPage } from "./render-page.tsx";
export type {
  ActionStub,
  ActionStubs,
  LayoutStub,
  LoadStub,
  PageStubs,
  RecordedNavigation,
  RecordedSubmission,
  StubbedProps,
  StubOutcome,
} from "./stub-types.ts";
