/**
 * `holdfast/testing`: tests an application without a browser.
 * @module
 */
export {};
