package dev.berth.server.profile;

import dev.berth.core.job.Submitter;
import dev.berth.server.linux.Users;
import java.util.List;

/** The users who may use a profile, beside the server's administrators. */
public sealed interface Audience {
    /** Whether a user is among them; who is in a group is asked each time. */
    boolean includes(Submitter user, Users users);

    /** Everybody ({@code access: all}). */
    record Everybody() implements Audience {
        @Override
        public boolean includes(Submitter user, Users users) {
            return true;
        }
    }

    /** Users and members of groups of this machine, by name ({@code access: yaml}). */
    record Named(List<String> names, List<String> groups) implements Audience {
        public Named {
            names = List.copyOf(names);
            groups = List.copyOf(groups);
        }

        @Override
        public boolean includes(Submitter user, Users users) {
            return names.contains(user.name()) || groups.stream().anyMatch(group -> users.isMember(user, group));
        }
    }

    /** Those whom a Keycloak server names ({@code access: keycloak}), which Berth has none of: nobody. */
    record OfKeycloak() implements Audience {
        @Override
        public boolean includes(Submitter user, Users users) {
            return false;
        }
    }
}
