package dev.berth.cli.output.text;

import dev.berth.core.api.ProfileView;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Profiles for people. What one does not say is "-". */
public final class ProfileText {
    private static final String NOTHING = "-";

    private ProfileText() {}

    public static Table table(List<ProfileView> profiles) {
        Table table = new Table("NAME", "GPUS", "CPUS", "MEMORY", "SHM", "IMAGE", "DESCRIPTION");
        for (ProfileView profile : profiles) {
            table.row(
                    profile.name(),
                    gpus(profile),
                    amount(profile.cpuMilli(), profile.cpuGuaranteeMilli(), Amounts::thousandths),
                    amount(profile.memoryBytes(), profile.memoryGuaranteeBytes(), Amounts::bytes),
                    profile.shmBytes() == null ? NOTHING : Amounts.bytes(profile.shmBytes()),
                    profile.image() == null ? NOTHING : profile.image(),
                    profile.description());
        }
        return table;
    }

    private static String gpus(ProfileView profile) {
        String count = profile.gpus() == null ? NOTHING : profile.gpus().toString();
        return profile.gpuType() == null ? count : count + " " + profile.gpuType();
    }

    /** What a job may use, and what of it is kept for it where that is less. */
    private static <T> String amount(@Nullable T limit, @Nullable T kept, Function<T, String> words) {
        if (limit == null) {
            return kept == null ? NOTHING : words.apply(kept) + " kept";
        }
        return kept == null || kept.equals(limit)
                ? words.apply(limit)
                : words.apply(limit) + ", " + words.apply(kept) + " kept";
    }
}
