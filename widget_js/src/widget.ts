/**
 * What anywidget loads: `initialize` is the state of the model, `render` the pixels of one view, each returns its clean-up.
 *
 * The two are given different proxies of the same model, so they meet by the trait `session`, which is unique.
 */

import type { Model } from "./carrier";
import { Session } from "./session";
import { mount } from "./view/mount";

const sessions = new Map<unknown, Session>();

function sessionOf(model: Model): Session {
  const name = model.get("session");
  let session = sessions.get(name);
  if (!session) {
    session = new Session(model);
    sessions.set(name, session);
    session.start();
  }
  return session;
}

export default {
  initialize({ model }: { model: Model }): () => void {
    const session = sessionOf(model);
    return () => {
      if (sessions.get(model.get("session")) === session) sessions.delete(model.get("session"));
      session.close();
    };
  },

  render({ model, el }: { model: Model; el: HTMLElement }): () => void {
    const session = sessionOf(model);
    const unmount = mount(session, el);
    const detach = session.attach();
    return () => {
      unmount();
      detach();
    };
  },
};
