/**
 * Every text that the framework shows to visitors. Constants, so that the bundler writes each where it is used, and no
 * other. `{path}` and `{status}` are replaced.
 */

// Pages for errors and missing pages.
export const applicationError = "Application error";
export const serverException = "A server-side exception has occurred.";
export const clientException = "A client-side exception has occurred.";
export const pageNotFound = "Page not found";
export const noPageAt = "There is no page at {path}.";
export const signInNeeded = "Sign-in needed";
export const onlySignedIn = "This page is only for visitors who have signed in.";
export const notAllowed = "Not allowed";
export const accountMayNot = "Your account may not see this page.";
export const addressWrong = "Address not understood";
export const addressWrongValue = "Part of this address has a value that the page cannot use.";
export const tooMuchSent = "Too much was sent";
export const formTooLarge = "The form was larger than this page takes.";
export const formNotTaken = "Form not taken";
export const noSuchFiles = "This page does not take files of this kind.";
export const notAvailable = "Not available";
export const cannotBeShown = "This page cannot be shown now.";
export const redirectCircle = "Address leads in a circle";
export const redirectCircleText = "The pages here send you to each other, again and again.";
export const doesNotLoad = "Page does not load";
export const doesNotLoadText = "It was loaded several times in a row, and failed each time.";
export const digest = "Digest";
export const copy = "Copy";
export const copied = "Copied";
export const notCopied = "Selected, not copied";
export const alreadyReported = "Already reported.";
export const seeRepaired = "See whether it is repaired";
export const whatWereYouDoing = "What were you doing when this happened?";
export const sendNote = "Send note";
export const waysOut = "Ways out";
export const reload = "Reload";
export const back = "Back";
export const upTo = "Up to {path}";
export const home = "Home";

// The page for a visitor who has a digest.
export const answerKnown = "We know about it";
export const answerKnownText = "This error was reported to us when it happened. It is not repaired yet.";
export const answerInRepair = "It is being repaired";
export const answerInRepairText = "We are working on it. Please look again later.";
export const answerRepaired = "It is repaired";
export const answerRepairedText = "Please try again what you were doing.";
export const answerUnknown = "We do not know this code (yet)";
export const answerUnknownText = "After an error it can take a minute until its code is known here.";
export const anotherCode = "Another code";
export const lookUp = "Look up";
export const tooManyCodes = "Too many codes";
export const tooManyCodesText =
  "Too many codes were looked up from your address. Please try again in {seconds} seconds.";

// What became of a note or of feedback.
export const thanks = "Thank you";
export const noteKept = "Your note was kept with the error it belongs to.";
export const feedbackReceived = "We have received what you wrote.";
export const notSent = "Not sent";
export const notKeptNow = "It could not be kept. Please try again later.";
export const noText = "There was no text.";
export const sentTooOften = "Too much came from your address. Please try again in {seconds} s.";

// Parts of a page.
export const partMissing = "A server-side exception has occurred; part of this page is missing.";
export const partNotLoaded = "This part of the page could not be loaded.";
export const received = "What you sent was received. Only this page could not be shown.";

// Requests that no page answers.
export const busy = "Busy";
export const busyText = "There is too much to do at the moment. The page is tried again in a few seconds.";
export const refused = "Refused ({status})";
export const refusedAddress = "This address is not understood.";
export const refusedMethod = "This address does not take that method.";
export const refusedSite = "Another site sent this request.";

// Forms.
export const notTaken = "This was not taken.";
export const signInElsewhere = "Sign in in another tab, then send this again.";
export const tooLarge = "This is too large.";
export const somebodyElse = "Somebody else has signed in since.";
export const mayBeReceived = "This may have been received. Look before you send it again.";
export const takesLong = "This has been received, and takes long.";
export const keptTitle = "Kept";
export const keptUnder = "We have kept what you sent, under {digest}. You need not send it again.";
export const keptDone = "What you sent, kept under {digest}, has been done since.";
export const cannotKeep = "This cannot be taken now, and nothing of it was done. What you typed is still here.";
export const stillHere = "What you typed is still here.";

// A lost connection.
export const connectionLostPage = "Connection lost. Trying again.";
export const connectionLostForm = "Connection lost. What you typed is kept.";
export const retry = "Retry";
export const lostUnknown = "Connection lost. It is not known whether this was received. What you typed is kept.";
export const sentAgain = "It is sent again if it was not received.";
export const willFindOut = "We will find out as soon as the connection is back.";
export const lostNotReceived = "Connection lost. This was not received. What you typed is kept.";
export const lostMaybe =
  "Connection lost. This may have been received. Look before you send it again. What you typed is kept.";
export const stillSending = "Still sending. What you typed is kept.";
export const leaveForm = "What you typed is not saved. Leave this page?";
export const discard = "Discard";
export const sendWhenPossible = "Send when possible";
export const sendAgain = "Send again";
export const openInNewTab = "Open the page in a new tab";

// What an earlier visit has left.
export const returnReceived = "What you sent on {when} has been received.";
export const returnNotReceived = "What you sent on {when} has not been received.";
export const returnEnterAgain = "Passwords and files have to be entered again.";
export const returnMaybe = "It is not known whether what you sent on {when} was received.";
export const returnNotTaken = "What you sent on {when} was not taken.";
export const returnOther =
  "Something that was sent from this browser on {when} has not been received. It is only sent for the person who was signed in then.";
export const returnGone = "The page no longer takes it.";
export const returnCode = "If you ask about it, name the code {digest}.";
export const returnRepaired = "What failed on {when} works now.";
export const continueThere = "Continue where it broke";
export const openForm = "Open the form";
export const copyTyped = "Copy what you typed";
export const close = "Close";
