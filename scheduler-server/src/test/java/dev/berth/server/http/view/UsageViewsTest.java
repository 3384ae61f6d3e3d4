package dev.berth.server.http.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.api.GpuView;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.usage.CardNow;
import dev.berth.server.usage.OnCard;
import dev.berth.server.usage.ProcessLook.Seen;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class UsageViewsTest {
    private static final Instant AT = Instant.parse("2026-03-01T09:00:00Z");

    @Test
    void argumentsAreForTheirOwnerAlone() {
        GpuProcess process = new GpuProcess(4711, GpuProcess.Kind.GRAPHICS, 812L << 20);
        Seen seen = new Seen("bob", "python", "python train.py --token secret", "lab", null);
        CardNow card = new CardNow(
                AT,
                new GpuReading(5, null, null, null, null, List.of(process)),
                List.of(new OnCard(process, seen, null, AT)));
        GpuView.Occupant forBob = new GpuView.Occupant(
                4711, "bob", "python train.py --token secret", "lab", null, true, 812L, AT.toString());
        assertThat(UsageViews.occupants(card, "bob")).containsExactly(forBob);
        for (String other : List.of("ada", "root", "")) {
            assertThat(UsageViews.occupants(card, other))
                    .extracting(GpuView.Occupant::command)
                    .containsExactly("python");
        }
        assertThat(UsageViews.occupants(null, "bob")).isEmpty();
    }
}
