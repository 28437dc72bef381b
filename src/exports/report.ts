/**
 * `holdfast/report`: reports an error or measures a span by hand; the framework itself does so without being asked.
 * @module
 */
export {};
