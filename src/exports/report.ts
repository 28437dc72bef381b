/**
 * `holdfast/report`: reports an error or measures a span by hand; the framework itself does so without being asked.
 * @module
 */
/**
 * Alike on the server, where a call belongs to the request being answered, and in the browser, where it belongs to the
 * page.
 */
export {
  type About,
  type Attributes,
  addStep,
  captureError,
  captureMessage,
  type Level,
  log,
  setUser,
  span,
  type User,
} from "#reporting/report-api";
