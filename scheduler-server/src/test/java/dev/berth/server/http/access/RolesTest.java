package dev.berth.server.http.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Submitter;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Caller.Role;
import dev.berth.server.http.exchange.Caller.Scope;
import dev.berth.server.linux.Users;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who is what: group 0 is root's and group 1 daemon's on every machine. */
class RolesTest {
    private static final Submitter IN_GROUP_ONE = new Submitter(1_500, 1_500, List.of(1L), "ada");

    private static Role role(Submitter user, List<String> administrators, List<String> readers) {
        return new Roles(1_000, new RoleNames(administrators, readers), new Users()).of(user);
    }

    private static Submitter user(String name, long uid) {
        return new Submitter(uid, 2_000, List.of(), name);
    }

    @Test
    void rootAndTheServersOwnUserAreAdministratorsAlways() {
        assertThat(role(user("root", 0), List.of(), List.of("root"))).isEqualTo(Role.ADMINISTRATOR);
        assertThat(role(user("berth", 1_000), List.of(), List.of())).isEqualTo(Role.ADMINISTRATOR);
        assertThat(role(user("ada", 1_500), List.of(), List.of())).isEqualTo(Role.USER);
    }

    @Test
    void namesAndGroupsMakeRoles() {
        assertThat(role(IN_GROUP_ONE, List.of("ada"), List.of())).isEqualTo(Role.ADMINISTRATOR);
        assertThat(role(IN_GROUP_ONE, List.of("@daemon"), List.of())).isEqualTo(Role.ADMINISTRATOR);
        assertThat(role(IN_GROUP_ONE, List.of(), List.of("@daemon"))).isEqualTo(Role.READER);
        assertThat(role(IN_GROUP_ONE, List.of("ada"), List.of("ada")))
                .as("the greater counts")
                .isEqualTo(Role.ADMINISTRATOR);
        assertThat(role(new Submitter(1_500, 1, List.of(), "eve"), List.of(), List.of("@daemon")))
                .as("the primary group")
                .isEqualTo(Role.READER);
        assertThat(role(user("eve", 1_500), List.of("ada", "@daemon", "@no-such-group", "@", ""), List.of("daemon")))
                .isEqualTo(Role.USER);
        assertThat(role(user("@daemon", 1_500), List.of("@daemon"), List.of()))
                .as("a user who is called like a group")
                .isEqualTo(Role.USER);
    }

    @ParameterizedTest
    @CsvSource({
        "USER, READ, false, false, false",
        "USER, SUBMIT, false, true, false",
        "USER, ADMIN, false, true, false",
        "READER, READ, false, false, false",
        "READER, ADMIN, true, true, false",
        "ADMINISTRATOR, READ, false, false, false",
        "ADMINISTRATOR, SUBMIT, false, true, false",
        "ADMINISTRATOR, ADMIN, true, true, true"
    })
    void roleAndScopeTogether(Role role, Scope scope, boolean seesAll, boolean maySubmit, boolean administrates) {
        Caller caller = new Caller(user("ada", 1_500), role, scope, true);
        assertThat(caller.seesAll()).isEqualTo(seesAll);
        assertThat(caller.maySubmit()).isEqualTo(maySubmit);
        assertThat(caller.isAdministrator()).isEqualTo(administrates);
    }
}
