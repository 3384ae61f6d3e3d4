package dev.berth.server.http.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.api.GpuView;
import dev.berth.core.job.Submitter;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.gpu.occupy.ProcessIdentity;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Caller.Role;
import dev.berth.server.http.exchange.Caller.Scope;
import dev.berth.server.usage.GpuStatus;
import dev.berth.server.usage.ObservedProcess;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class UsageViewsTest {
    private static final Instant AT = Instant.parse("2026-03-01T09:00:00Z");

    @Test
    void argumentsAreForTheirOwnerAndProgramsForWhoSeesAll() {
        GpuProcess process = new GpuProcess(4711, GpuProcess.Kind.GRAPHICS, 812L << 20);
        ProcessIdentity bob = new ProcessIdentity("bob", "python", "python train.py --token secret", "lab", null);
        GpuStatus status = new GpuStatus(
                AT,
                new GpuReading(5, null, null, null, null, List.of(process)),
                List.of(new ObservedProcess(process, bob, AT)));
        GpuView.Occupant forBob = new GpuView.Occupant(
                4711, "bob", "python train.py --token secret", "lab", null, true, 812L, AT.toString());
        assertThat(UsageViews.occupants(status, caller("bob", Role.USER))).containsExactly(forBob);
        for (Role role : List.of(Role.ADMINISTRATOR, Role.READER)) {
            assertThat(UsageViews.occupants(status, caller("root", role)))
                    .containsExactly(
                            new GpuView.Occupant(4711, "bob", "python", "lab", null, true, 812L, AT.toString()));
        }
        Caller byToken =
                new Caller(new Submitter(4_243, 4_243, List.of(), "op"), Role.ADMINISTRATOR, Scope.SUBMIT, false);
        for (Caller other : List.of(caller("ada", Role.USER), caller("", Role.USER), byToken)) {
            assertThat(UsageViews.occupants(status, other))
                    .as("whose it is, and its number")
                    .containsExactly(new GpuView.Occupant(4711, "bob", "", null, null, true, 812L, AT.toString()));
        }
        assertThat(UsageViews.occupants(null, caller("bob", Role.USER))).isEmpty();
    }

    private static Caller caller(String name, Role role) {
        return new Caller(new Submitter(4_242, 4_242, List.of(), name), role, Scope.ADMIN, true);
    }
}
