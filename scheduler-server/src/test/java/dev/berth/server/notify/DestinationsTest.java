package dev.berth.server.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.server.config.AllowedHost;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Settings;
import dev.berth.server.notify.Destinations.RefusedException;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The addresses that no user may have a request sent to from within the server's network. */
class DestinationsTest {
    /** This machine is in a network with public addresses, as many of universities are. */
    private static final List<AllowedHost> OWN = allowed("18.9.0.0/16");

    private static List<AllowedHost> allowed(String texts) {
        return texts.isEmpty()
                ? List.of()
                : Settings.of("notify.allow=" + texts).get(Keys.NOTIFY_ALLOW);
    }

    private static Destinations of(String allowed, String... answers) {
        return new Destinations(
                allowed(allowed),
                _ -> Arrays.stream(answers).map(InetAddress::ofLiteral).toArray(InetAddress[]::new),
                () -> OWN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "127.0.0.1",
                "127.9.9.9",
                "10.0.0.1",
                "100.64.0.1",
                "169.254.169.254",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.1.1",
                "192.0.0.1",
                "198.18.0.1",
                "224.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "::ffff:127.0.0.1",
                "::ffff:10.0.0.1",
                "::127.0.0.1",
                "64:ff9b::7f00:1",
                "2002:7f00:1::",
                "2001:0:7f00:1::",
                "fe80::1",
                "fc00::1",
                "fd00:ec2::254",
                "ff02::1",
                "2001:db8::1",
                "18.9.22.69",
            })
    void addressesOfTheServersNetworkAreRefused(String address) {
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> of("", address).of("evil.example", 443, true))
                .withMessageContaining("notify.allow");
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> of("", "93.184.216.34", address).of("two.example", 443, true));
    }

    @ParameterizedTest
    @ValueSource(strings = {"93.184.216.34", "172.32.0.1", "11.0.0.1", "18.10.0.1", "2606:2800:220:1::1"})
    void publicAddressesAreHad(String address) throws IOException {
        assertThat(of("", address).of("good.example", 443, true)).containsExactly(InetAddress.ofLiteral(address));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.0.0.0/8       | any.example    | 10.1.2.3",
                "10.1.2.3         | any.example    | 10.1.2.3",
                "Chat.example     | chat.EXAMPLE   | 10.1.2.3",
                "fd00::/8         | any.example    | fd00:ec2::254",
                "127.0.0.1,::1    | localhost      | ::1",
            })
    void whatTheAdministratorAllowsIsHadAlsoWithoutTls(String allowed, String host, String address) throws IOException {
        assertThat(of(allowed, address).of(host, 443, true)).hasSize(1);
        assertThat(of(allowed, address).of(host, 443, false)).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.0.0.0/9       | any.example    | 10.128.0.1",
                "chat.example     | a.chat.example | 10.1.2.3",
                "10.0.0.0/8       | any.example    | ::1",
            })
    void whatIsAllowedIsNoMoreThanThat(String allowed, String host, String address) {
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> of(allowed, address).of(host, 443, true));
    }

    @Test
    void withoutTlsOnlyWhatIsAllowedIsSpokenTo() {
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> of("", "93.184.216.34").of("good.example", 443, false))
                .withMessageContaining("without TLS");
    }

    @Test
    void ofAnAddressTheRuleIsKnownBeforeItIsSentTo() {
        assertThat(of("").objection("10.0.0.1", 443, true))
                .hasValueSatisfying(rule -> assertThat(rule).startsWith("cannot be sent to: its address is none"));
        assertThat(of("").objection("fd00::1", 443, true)).isPresent();
        assertThat(of("").objection("93.184.216.34", 443, false))
                .hasValueSatisfying(rule -> assertThat(rule).contains("without TLS"));
        assertThat(of("").objection("93.184.216.34", 443, true)).isEmpty();
        assertThat(of("10.0.0.0/8").objection("10.0.0.1", 443, false)).isEmpty();
        assertThat(of("").objection("a.name.example", 443, true))
                .as("not looked up")
                .isEmpty();
    }

    @Test
    void thisMachinesOwnNetworksAreSeen() throws IOException {
        assertThat(Destinations.of(List.of()).own().networks())
                .anyMatch(network -> network.has("", InetAddress.ofLiteral("127.0.0.1")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "chat.example:8443 | 8443 | 443  | 10.1.2.3",
                "10.0.0.0/8:80     | 80   | 81   | 10.1.2.3",
                "10.1.2.3:25       | 25   | 2525 | 10.1.2.3",
                "[fd00::/8]:443    | 443  | 444  | fd00:ec2::254",
                "[fd00::1]:443     | 443  | 80   | fd00::1",
            })
    void whatIsAllowedAtAPortIsHadThereAlone(String allowed, int port, int other, String address) throws IOException {
        assertThat(of(allowed, address).of("chat.example", port, false)).hasSize(1);
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> of(allowed, address).of("chat.example", other, true));
        assertThat(allowed(allowed)).hasToString("[" + allowed + "]");
    }
}
