package dev.berth.core.place;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuRequest;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The GPU that a job of a share gets: of those that are shared already the one on which the least stays free, else the
 * first that is empty. So whole GPUs stay whole for as long as can be, and a share never lies across two.
 */
public final class ShareChoice {
    private ShareChoice() {}

    /**
     * The GPU for a job.
     *
     * @param milli the share that is asked for, 1 to 999 thousandths
     * @param candidates what may be allocated, in index order
     * @return empty where the share has room on none
     */
    public static Optional<GpuId> of(int milli, List<Candidate> candidates) {
        if (milli < 1 || milli >= GpuRequest.WHOLE) {
            throw new IllegalArgumentException("not a share of one GPU: " + milli + " thousandths");
        }
        List<Candidate> fitting =
                candidates.stream().filter(gpu -> gpu.hasRoomFor(milli)).toList();
        // The first of equals wins: min keeps it.
        return fitting.stream()
                .filter(Candidate::isShared)
                .min(Comparator.comparingInt(gpu -> GpuRequest.WHOLE - gpu.usedMilli()))
                .or(() -> fitting.stream().findFirst())
                .map(Candidate::gpu);
    }

    /**
     * A GPU and who is on it.
     *
     * @param usedMilli thousandths that jobs of shares hold together
     * @param holders how many jobs of shares hold it
     * @param maxHolders how many may, 0 where it is not shared
     * @param wholeHeld whether one job holds all of it
     */
    public record Candidate(GpuId gpu, int usedMilli, int holders, int maxHolders, boolean wholeHeld) {
        boolean isShared() {
            return holders > 0;
        }

        boolean hasRoomFor(int milli) {
            return !wholeHeld && holders < maxHolders && usedMilli + milli <= GpuRequest.WHOLE;
        }
    }
}
