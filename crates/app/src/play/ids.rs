//! Names that nobody can guess.

/// Hexadecimal digits of a name for a player: 128 bits, since whoever knows it is that player.
const CLIENT_DIGITS: usize = 32;
const GAME_DIGITS: usize = 16;

pub(crate) fn client() -> String {
    format!("{:016x}{:016x}", bits(), bits())
}

pub(crate) fn game() -> String {
    format!("{:016x}", bits())
}

pub(crate) fn is_client(text: &str) -> bool {
    is_hex(text, CLIENT_DIGITS)
}

/// What is not made of our digits never gets near a path.
pub(crate) fn is_game(text: &str) -> bool {
    is_hex(text, GAME_DIGITS)
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn bits() -> u64 {
    getrandom::u64().expect("the system gives random numbers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_pass() {
        assert!(is_client(&client()) && is_game(&game()));
        assert_ne!(client(), client());
        for text in
            ["", "../../../../etc/passwd", "0123456789ABCDEF", "0123456789abcde/", "0123456789abcdef0"]
        {
            assert!(!is_client(text) && !is_game(text), "{text}");
        }
    }
}
