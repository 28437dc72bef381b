/**
 * Files of one worker share its process. A build in that process sets NODE_ENV to "production"; the next file begins as
 * the first one did.
 */
process.env.NODE_ENV = "test";
