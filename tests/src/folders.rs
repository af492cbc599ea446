//! Folders of fixtures. The generator's tests take this file as a module too.
#![allow(unreachable_pub, reason = "a module of a test has no public")]

use std::fs;
use std::path::Path;

/// Copies a folder with all that is in it; copies can be written to, whatever the originals allow.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the folder can be made");
    for entry in fs::read_dir(from).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::write(target, fs::read(&path).expect("the file can be read")).expect("the file can be written");
        }
    }
}
