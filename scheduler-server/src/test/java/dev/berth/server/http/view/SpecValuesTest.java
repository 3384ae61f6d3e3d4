package dev.berth.server.http.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.Guarantee;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Label;
import dev.berth.core.job.LimitSignal;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Mount;
import dev.berth.core.job.Notification;
import dev.berth.core.job.Packing;
import dev.berth.core.job.Place;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Place.OnHost;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.Resources;
import dev.berth.core.job.Retry;
import dev.berth.core.job.RetryCauses;
import dev.berth.core.job.RetryDelay;
import dev.berth.core.job.Signal;
import dev.berth.core.job.Tasks;
import dev.berth.core.job.TrackSources;
import dev.berth.core.option.JobOption;
import dev.berth.server.example.Jobs;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The table of options against the request and against what is shown of a job. */
class SpecValuesTest {
    private static JobSpec all(Place place) {
        return new JobSpec(
                new Label("n", "p", List.of("t"), "GPU Server"),
                place,
                new Resources(
                        GpuRequest.whole(2),
                        new GpuTraits(1L << 30, "a100", List.of("l")),
                        1_500,
                        2L << 30,
                        5,
                        new Guarantee(1_000, 1L << 30)),
                new Limits(
                        Duration.ofHours(1),
                        Duration.ofMinutes(10),
                        new LimitSignal(Signal.USR1, Duration.ofSeconds(30)),
                        Duration.ofMinutes(2)),
                new Prerequisites(Jobs.ENDED, List.of(new Dependency(DependencyKind.AFTER_OK, new JobId(7))), true),
                Tasks.parse("0-31%4").with(new Packing(8, 2)),
                true,
                new Retry(3, RetryCauses.parse("exit,code:75"), RetryDelay.parse("1m..1h"), true),
                List.of(Notification.parse("fail:https://example.org/a-secret-that-is-long")),
                null);
    }

    @ParameterizedTest
    @EnumSource(JobOption.class)
    void everyOptionOfAJobIsShown(JobOption option) {
        Place container = new InContainer(
                "d",
                "i",
                PullPolicy.ALWAYS,
                "/w",
                1L << 26,
                "net",
                List.of(new Mount("/a", "/b", true)),
                TrackSources.NONE);
        Place place = option.isOf(false) ? container : new OnHost("/home/ada", false, true);
        Object value = SpecValues.value(option, all(place));
        if (!SpecValues.isShown(option)) {
            assertThat(value).isNull();
        } else {
            assertThat(value).isNotIn(null, false, List.of(), "");
            assertThat(SpecValues.of(all(place)).values()).containsEntry(option.field(), value);
        }
    }

    @Test
    void whoMayNotReadWhatIsPrivateSeesThatThereIsAReceiver() {
        JobSpec spec = all(new OnHost("/home/ada", false, true));
        assertThat(SpecValues.of(spec, false).values()).containsEntry("notify", List.of("fail:..."));
        assertThat(SpecValues.of(spec, true).values())
                .containsEntry("notify", List.of("fail:https://example.org/...long"));
    }
}
