import { createContext } from "react";

/** The words of the frame and of the error pages. */
export const frameWords = {
  skip: "Skip to the content",
  sections: "Sections",
  tryIt: "Try it",
  docs: "Docs",
  console: "Console",
  foot: "This tour is a Holdfast application: what you see here is what yours does.",
  licence: "MIT licence",
  notFound: "Page not found",
  noPageAt: "There is no page at this address:",
  sameStatus: "The answer has status 404, as a document and as page data alike.",
  waysOut: "Ways out",
  home: "Home",
  back: "Back",
  tryAgain: "Try again",
  everything: "Everything to try",
  documentation: "Documentation",
  error: "Application error",
  serverError: "A server-side exception has occurred.",
  browserError: "A client-side exception has occurred.",
  tellDigest: "Try again, or tell us the digest: it leads to what was thrown, which stays on the server.",
  badAddress: "Address not understood",
  badAddressText: "Part of this address has a value that the page cannot use.",
  signIn: "Sign-in needed",
  signInText: "This page is only for visitors who have signed in.",
  notAllowed: "Not allowed",
  notAllowedText: "You are signed in, but this page is not for you.",
  digest: "Digest",
  copyDigest: "Copy the digest",
  copy: "Copy",
  copied: "Copied",
  reported: "Already reported.",
  seeRepaired: "See whether it is repaired",
  seeThrown: "See what was thrown, in the console",
  sayMore: "Say what you were doing",
  note: "Note",
  sendNote: "Send the note",
};

export type FrameWords = typeof frameWords;

/** The words in the language of the page. */
export const WordsContext = createContext(frameWords);
