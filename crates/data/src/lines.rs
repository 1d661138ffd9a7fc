//! Lines of a text that may be anything: a line of any length costs bounded memory, and a broken archive ends the text.

use std::io::{BufRead, Read};

/// Longer lines belong to no format that is read by lines.
const LONGEST: usize = 1 << 20;

/// The lines with their numbers from 1, without their ends. What cannot be read as a line is a reason; an error of the input is
/// the last item.
pub(crate) fn numbered(mut reader: impl BufRead) -> impl Iterator<Item = (u64, Result<String, String>)> {
    let (mut number, mut ended) = (0, false);
    std::iter::from_fn(move || {
        if ended {
            return None;
        }
        number += 1;
        match next(&mut reader) {
            Ok(line) => line.map(|line| (number, line)),
            Err(error) => {
                ended = true;
                Some((number, Err(error.to_string())))
            }
        }
    })
}

fn next(reader: &mut impl BufRead) -> std::io::Result<Option<Result<String, String>>> {
    let mut line = Vec::new();
    if reader.by_ref().take(LONGEST as u64).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() == LONGEST && !line.ends_with(b"\n") {
        pass_over(reader)?;
        return Ok(Some(Err(format!("longer than {LONGEST} bytes"))));
    }
    let line = line.strip_suffix(b"\n").unwrap_or(&line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    Ok(Some(String::from_utf8(line.to_vec()).map_err(|_| "not UTF-8".to_owned())))
}

fn pass_over(reader: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let part = reader.fill_buf()?;
        let (len, found) = match memchr::memchr(b'\n', part) {
            Some(at) => (at + 1, true),
            None => (part.len(), part.is_empty()),
        };
        reader.consume(len);
        if found {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, BufReader};

    use super::*;

    /// Gives a line, then the same error whenever it is asked, as unpackers of damaged archives do.
    struct Broken(bool);

    impl Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match std::mem::replace(&mut self.0, false) {
                true => b"whole\n".as_slice().read(buffer),
                false => Err(io::Error::other("damaged")),
            }
        }
    }

    #[test]
    fn an_error_of_the_input_is_the_last_item() {
        let lines: Vec<_> = numbered(BufReader::new(Broken(true))).take(5).collect();
        assert_eq!(lines, [(1, Ok("whole".to_owned())), (2, Err("damaged".to_owned()))]);
    }

    #[test]
    fn bad_lines_are_named_and_the_next_is_read() {
        let text = [b"a\r\n\xff\n".as_slice(), &vec![b'x'; 3 * LONGEST], b"\nb"].concat();
        let lines: Vec<_> = numbered(text.as_slice()).collect();
        assert_eq!(lines[0], (1, Ok("a".to_owned())));
        assert!(lines[1].1.is_err() && lines[2].1.is_err());
        assert_eq!(lines[3..], [(4, Ok("b".to_owned()))]);
    }
}
