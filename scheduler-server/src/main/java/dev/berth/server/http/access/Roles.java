package dev.berth.server.http.access;

import dev.berth.core.job.Submitter;
import dev.berth.server.http.exchange.Caller.Role;
import dev.berth.server.linux.Users;
import java.util.List;

/**
 * The role of each user on this server. Root and the user the server runs as are its administrators whatever the names
 * say; who is in a group is asked each time.
 */
public record Roles(long serverUid, RoleNames names, Users users) {
    public Role of(Submitter user) {
        if (user.isRoot() || user.uid() == serverUid || isAmong(names.administrators(), user)) {
            return Role.ADMINISTRATOR;
        }
        return isAmong(names.readers(), user) ? Role.READER : Role.USER;
    }

    private boolean isAmong(List<String> among, Submitter user) {
        return among.stream()
                .anyMatch(name ->
                        name.startsWith("@") ? users.isMember(user, name.substring(1)) : name.equals(user.name()));
    }
}
