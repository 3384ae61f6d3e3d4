package dev.berth.server.http.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.job.Submitter;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Caller.Role;
import dev.berth.server.http.exchange.Caller.Scope;
import dev.berth.server.runner.target.AnsweringEngine;
import dev.berth.server.runner.target.TargetDirectory;
import dev.berth.server.runner.target.TargetSettings;
import dev.berth.server.runner.target.Targets;
import dev.berth.server.runner.target.Targets.Target;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Who may submit to a target that its operator opened to some. */
class TargetUsersTest {
    private static final Submitter ADA = user(1001, "ada");
    private static final Submitter BOB = user(1002, "bob");
    private static final Submitter EVE = user(1003, "eve");

    private final Target target =
            new Target(new TargetSettings("cluster", 5, List.of("ada", "@lab")), AnsweringEngine.well());
    private final TargetRequests requests = new TargetRequests(new TargetDirectory(
            "s",
            new Targets(new TreeMap<>(Map.of("cluster", target))),
            (user, group) -> user.equals(BOB) && group.equals("lab"),
            (_, _) -> 0));

    private static Submitter user(long uid, String name) {
        return new Submitter(uid, uid, List.of(), name);
    }

    private static Caller as(Submitter user, Role role, Scope scope) {
        return new Caller(user, role, scope, true);
    }

    @Test
    void usersAndGroupsThatAreNamedMay() {
        assertThat(requests.of("cluster", Caller.local(ADA))).isSameAs(target);
        assertThat(requests.of("cluster", Caller.local(BOB))).isSameAs(target);
    }

    @Test
    void administratorsAlwaysMay() {
        assertThat(requests.of("cluster", as(EVE, Role.ADMINISTRATOR, Scope.ADMIN)))
                .isSameAs(target);
    }

    @Test
    void othersMayNotAndATokenOfAnAdministratorsCountsAsItsScopeSays() {
        assertThat(refusal(Caller.local(EVE)))
                .isEqualTo("target cluster is not open to eve; its operator names who may submit there"
                        + " (targets.cluster.users)");
        assertThat(refusal(as(EVE, Role.ADMINISTRATOR, Scope.SUBMIT))).startsWith("target cluster is not open to eve");
        assertThat(refusal(as(EVE, Role.READER, Scope.ADMIN))).startsWith("target cluster is not open to eve");
    }

    private String refusal(Caller caller) {
        ApiException refused = catchThrowableOfType(ApiException.class, () -> requests.of("cluster", caller));
        assertThat(refused.error().code()).isEqualTo("TARGET_CLOSED");
        return refused.error().message();
    }
}
