import { action, load } from "holdfast/server";
import { consoleApi, isAtLeast } from "holdfast/service";
import { formOf } from "../../../server/posted.ts";
import { scopeOf } from "../../../server/scope.ts";
import { changeTicketTemplate } from "../../../server/ticket-actions.ts";

const route = "/[project]/settings/tickets";

export const data = load(route, (context) => {
  const { project, role } = scopeOf(context);
  const { tickets } = consoleApi();
  return {
    project,
    isOwner: isAtLeast(role, "owner"),
    template: isAtLeast(role, "member") ? tickets.template(project.id) : "",
    known: tickets.known,
  };
});

export const actions = {
  template: action({ route }, ({ input, ...context }) => changeTicketTemplate(scopeOf(context), formOf(input))),
};
