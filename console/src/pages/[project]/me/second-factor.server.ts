import { action, load, notFound } from "holdfast/server";
import { accountsHere } from "../../../server/accounts.ts";
import { changeSecondFactor } from "../../../server/own-actions.ts";
import { scopeOf } from "../../../server/scope.ts";

const route = "/[project]/me/second-factor";

export const data = load(route, async (context) => {
  const { person } = scopeOf(context);
  const { hasPasswords, own, secondFactor } = accountsHere();
  // People of the identity provider have their second factor there.
  if (!hasPasswords || !(await own.hasPassword(person.name))) notFound();
  const state = await secondFactor.state(person.name);
  return {
    state,
    isRequired: secondFactor.isRequired,
    enrolment: state.kind === "off" ? await secondFactor.begin(person.name) : undefined,
  };
});

export const actions = {
  change: action({ route }, ({ input, ...context }) => changeSecondFactor(scopeOf(context), input)),
};
