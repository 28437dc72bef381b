/**
 * `holdfast/report`: reports an error or measures a span by hand. The framework reports the errors that it catches
 * itself.
 * @module
 */

/**
 * The same functions on both sides: on the server a call belongs to the current request, in the browser to the current
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
