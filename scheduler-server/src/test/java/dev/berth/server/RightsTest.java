package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class RightsTest {
    private static final long NEEDED = 0x2800ebL;

    @Test
    void whoHasWhatItNeedsSaysNothing() {
        assertThat(new Rights(NEEDED, NEEDED).warnings()).isEmpty();
    }

    @Test
    void whatIsMissingIsNamedWithWhatIsRefused() {
        assertThat(new Rights(NEEDED & ~(1L << 21), NEEDED).warnings())
                .containsExactly("the server was started without CAP_SYS_ADMIN: mounts are refused");
        assertThat(new Rights(0, 0).warnings()).hasSize(8);
    }

    @Test
    void allOfRootsRightsAreTooMany() {
        assertThat(new Rights(NEEDED, 0x1ff_ffff_ffffL).warnings())
                .singleElement()
                .asString()
                .contains("those that it does not need", "install setpriv");
    }

    @Test
    void theRightsOfThisProcessAreRead() throws IOException {
        assertThat(Rights.ofThisProcess().bounding()).isNotNegative();
    }
}
