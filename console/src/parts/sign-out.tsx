import { href } from "holdfast";

/** A plain form, so that nothing of these pages stays in the tab after signing out. */
export function SignOut() {
  return (
    <form method="post" action={`${href("/sign-in")}/_action/signOut`} data-hard="">
      <button type="submit">Sign out</button>
    </form>
  );
}
